/**
 * Mocha's interfaces and options: those of the project's own configuration, in every format.
 */

import { expect } from 'chai';
import path from 'node:path';
import { findSpecFiles, loadOptions } from '../../runtime/mocha/options.js';
import { loadMocha } from '../../runtime/mocha/mocha-package.js';
import { isCompiler } from '../../runtime/mocha/requires.js';
import { mochaProject, runnerOf, runSpec, statesOf, testOf, trial } from './project.js';

const rc = (options: object): Record<string, string> => ({
  '.mocharc.json': JSON.stringify(options),
});

describe('mocha: options', function () {
  this.timeout(20_000);

  it('knows all interfaces', async () => {
    const tdd = await runSpec(
      `declare const suite: any, test: any, setup: any, suiteSetup: any;
       let n = 0;
       suite('tdd', () => {
         suiteSetup(() => { n = 1; });
         setup(() => { n++; });
         test('counts', () => { if (n !== 2) throw new Error(String(n)); });
         test.skip('not', () => {});
       });`,
      rc({ ui: 'tdd' }),
    );
    expect(statesOf(tdd)).to.deep.equal(['tdd counts: passed', 'tdd not: pending']);
    const qunit = await runSpec(
      `declare const suite: any, test: any;
       suite('qunit'); test('one', () => {}); suite('other'); test('two', () => {});`,
      rc({ ui: 'qunit' }),
    );
    expect(statesOf(qunit)).to.deep.equal(['qunit one: passed', 'other two: passed']);
    const exported = await runSpec(
      `export const group = { before() {}, 'a test': async () => { await null; } };`,
      rc({ ui: 'exports' }),
    );
    expect(statesOf(exported)).to.deep.equal(['group a test: passed']);
    const imported = await runSpec(
      `import { describe, it } from 'mocha';
       describe('imported', () => { it('works', () => {}); });`,
    );
    expect(statesOf(imported)).to.deep.equal(['imported works: passed']);
  });

  it('waits for run() with the option delay', async () => {
    const result = await runSpec(
      `declare const run: () => void;
       setTimeout(() => { describe('later', () => { it('is there', () => {}); }); run(); }, 5000);`,
      rc({ delay: true }),
    );
    expect(statesOf(result)).to.deep.equal(['later is there: passed']);
    expect(result.virtualNs).to.equal(5e9);
    const never = await runSpec(`it('x', () => {});`, rc({ delay: true }));
    expect(never.loadError).to.include({ kind: 'deadlock' });
  });

  it('honours timeouts, grep and the like of every kind of configuration', async () => {
    const spec = `
      const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
      describe('a', () => { it('quick', () => sleep(5)); it('slow', () => sleep(50)); });`;
    const slow = ['a quick: passed', 'a slow: failed'];
    const configurations: Record<string, Record<string, string>> = {
      '.mocharc.json': { '.mocharc.json': '{ /* comment */ "timeout": 20 }' },
      '.mocharc.jsonc': { '.mocharc.jsonc': '{ "timeout": "20" }' },
      '.mocharc.yml': { '.mocharc.yml': 'timeout: 20\n' },
      '.mocharc.yaml': { '.mocharc.yaml': 'timeout: 20\n' },
      '.mocharc.js': { '.mocharc.js': 'module.exports = { timeout: 20 };' },
      '.mocharc.cjs': { '.mocharc.cjs': 'module.exports = { timeout: 20 };' },
      'package.json': { 'package.json': '{ "mocha": { "timeout": 20 } }' },
    };
    for (const [name, files] of Object.entries(configurations)) {
      expect(statesOf(await runSpec(spec, files)), name).to.deep.equal(slow);
    }
    const grep = await runSpec(spec, rc({ grep: '/SL.W/i' }));
    expect(statesOf(grep)).to.deep.equal(['a slow: passed']);
    const inverted = await runSpec(spec, rc({ fgrep: 'slow', invert: true }));
    expect(statesOf(inverted)).to.deep.equal(['a quick: passed']);
    const bailing = await runSpec(
      `it('fails', () => { throw new Error(); }); it('later', () => {});`,
      rc({ bail: true }),
    );
    expect(statesOf(bailing)).to.deep.equal(['fails: failed', 'later: skipped']);
    const asyncOnly = await runSpec(`it('sync', () => {});`, rc({ 'async-only': true }));
    expect(statesOf(asyncOnly)).to.deep.equal(['sync: failed']);
    const retries = await runSpec(
      `let n = 0; it('second', () => { if (++n < 2) throw new Error(); });`,
      rc({ retries: 1 }),
    );
    expect(statesOf(retries)).to.deep.equal(['second: passed']);
    const leaks = await runSpec(
      `it('leaks', () => { (globalThis as any).leaked = 1; });`,
      rc({ 'check-leaks': true }),
    );
    expect(testOf(leaks, 'leaks').failure!.message).to.include("'leaked'");
  });

  it('evaluates files of --require in every trial, with the modules of the spec', async () => {
    const root = mochaProject({
      '.mocharc.json': JSON.stringify({ require: ['ts-node/register', './setup.ts', 'packaged'] }),
      'setup.ts': `
        import { state } from './state.js';
        state.set = true;
        const log = (text: string) => () => { console.log(text); };
        export const mochaHooks = async () => {
          await null;
          const each = async () => { await null; console.log('each'); };
          return { beforeAll: [log('all')], beforeEach: each };
        };
        export function mochaGlobalSetup(this: any) { this.shared = 1; console.log('global'); }
        export const mochaGlobalTeardown = async function (this: any) {
          console.log('end', this.shared);
        };
      `,
      'state.ts': 'export const state = { set: false, count: 0 };',
      'a.spec.ts': `
        import { state } from './state.js';
        it('shares', () => {
          state.count++;
          console.log(state.set, state.count, (globalThis as any).packaged);
        });
      `,
      'node_modules/packaged/package.json': '{ "name": "packaged" }',
      'node_modules/packaged/index.js': 'globalThis.packaged = (globalThis.packaged ?? 0) + 1;',
    });
    const runner = runnerOf(root);
    for (let i = 0; i < 2; i++) {
      const result = await trial(runner, path.join(root, 'a.spec.ts'));
      expect(statesOf(result)).to.deep.equal(['shares: passed']);
      expect(result.output).to.equal('global\nall\neach\ntrue 1 1\nend 1\n');
    }
  });

  it('reports a global fixture that fails, and a module that is not there', async () => {
    const files = {
      ...rc({ require: './setup.ts' }),
      'setup.ts': `export function mochaGlobalSetup() { throw new Error('no database'); }`,
    };
    const result = await runSpec(`it('x', () => {});`, files);
    expect(result.loadError).to.include({ message: 'no database', site: 'setup.ts:1:44' });
    let error: unknown;
    try {
      await runSpec(`it('x', () => {});`, rc({ require: 'nowhere' }));
    } catch (thrown) {
      error = thrown;
    }
    expect((error as Error).message).to.match(/^The module "nowhere" of mocha's "require" option/);
  });

  it('loads files of --file before the spec', async () => {
    const result = await runSpec(`it('second', () => {});`, {
      ...rc({ file: './first.ts' }),
      'first.ts': `it('first', () => {});`,
    });
    expect(statesOf(result)).to.deep.equal(['first: passed', 'second: passed']);
  });

  it('finds spec files as mocha does', () => {
    const root = mochaProject({
      ...rc({ spec: ['spec/**/*.ts'], ignore: ['**/helper.ts'], extension: ['ts'], sort: true }),
      'spec/b.ts': '',
      'spec/deep/a.ts': '',
      'spec/helper.ts': '',
    });
    const mocha = loadMocha(root);
    const options = loadOptions(mocha, root);
    const names = (patterns?: string[]): string[] =>
      findSpecFiles(mocha, root, options, patterns).files.map((file) => path.relative(root, file));
    expect(names()).to.deep.equal(['spec/b.ts', 'spec/deep/a.ts']);
    expect(names(['spec'])).to.deep.equal(['spec/b.ts']);
    expect(findSpecFiles(mocha, root, options, ['none/*.ts']).files).to.deep.equal([]);
    expect(findSpecFiles(mocha, root, options, ['none/*.ts']).warnings[0]).to.include('none/*.ts');
  });

  it('knows what only registers a compiler', () => {
    const compilers = [
      'ts-node/register',
      'ts-node/register/transpile-only',
      'tsx',
      'tsx/cjs',
    ].concat(
      ['@swc/register', '/p/node_modules/ts-node/register/index.js', 'tsconfig-paths/register'],
      ['source-map-support/register', 'detsim/register', '@babel/register', 'esbuild-register'],
    );
    for (const name of compilers) expect(isCompiler(name), name).to.equal(true);
    for (const name of [
      'chai/register-expect',
      './test/setup.ts',
      'tsx-helpers',
      'dotenv/config',
    ]) {
      expect(isCompiler(name), name).to.equal(false);
    }
  });

  for (const version of ['old-mocha-10', 'old-mocha-11']) {
    it(`runs under ${version}`, async () => {
      const root = mochaProject(
        {
          '.mocharc.yml': 'timeout: 20\nretries: 1\n',
          'a.spec.ts': `
            const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
            let n = 0;
            describe('a', () => {
              beforeEach(() => sleep(10));
              it('quick', () => sleep(5));
              it('slow', () => sleep(50));
              it('second', () => { if (++n < 2) throw new Error(); });
              it('stuck', (_done) => {});
            });`,
        },
        { mocha: version },
      );
      const result = await trial(runnerOf(root), path.join(root, 'a.spec.ts'));
      expect(statesOf(result)).to.deep.equal([
        'a quick: passed',
        'a slow: failed',
        'a second: passed',
        'a stuck: failed',
      ]);
      expect(testOf(result, 'a slow').failure!.kind).to.equal('timeout');
      expect(testOf(result, 'a stuck').failure!.kind).to.equal('deadlock');
    });

    it(`finds no file where ${version} would end the process`, () => {
      const root = mochaProject({ 'test/a.test.ts': '' }, { mocha: version });
      const mocha = loadMocha(root);
      const found = (patterns?: string[]): readonly string[] =>
        findSpecFiles(mocha, root, loadOptions(mocha, root), patterns).files;
      expect(found()).to.deep.equal([]);
      expect(found(['test/none.ts'])).to.deep.equal([]);
      expect(found(['test/a.test.ts'])).to.have.length(1);
    });
  }

  it('refuses a project without mocha, and one whose mocha is too old', () => {
    const root = mochaProject({}, { mocha: 'chai' });
    expect(() => loadMocha(root)).to.throw(/has version 6\.[\d.]+; detsim knows versions 10 to 12/);
    expect(() => loadMocha('/nowhere')).to.throw(/The project in .nowhere has no mocha\./);
  });
});
