/**
 * `detsim compile`: which files it reaches, what it compiles again, and how it reports type errors.
 */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { compile, type CompileOptions, type CompileResult } from '../../cli/compile.js';
import { loadConfig } from '../../cli/config.js';
import { UserError } from '../../cli/errors.js';
import { copyFixture, writeProject } from './fixture.js';

function run(root: string, options: Partial<CompileOptions> = {}): CompileResult {
  const { config } = loadConfig(root);
  return compile({ root, config, tests: [], check: false, pretty: false, ...options });
}

const paths = ({ files }: CompileResult): string[] => files.map((one) => one.path);

describe('compile', () => {
  it('reaches everything from the tsconfig, the tests and their imports', () => {
    const root = copyFixture('esm');
    const result = run(root);
    expect(paths(result)).to.deep.equal([
      'shared/src/index.ts',
      'src/env.import.ts',
      'src/env.require.cts',
      'src/extra.mts',
      'src/fast.ts',
      'src/index.ts',
      'src/legacy.cts',
      'src/lib/math.ts',
      'src/order.ts',
      'src/plain.js',
      'src/slow.ts',
      'test/index.test.ts',
    ]);
    expect(result.errors).to.deep.equal([]);
    expect(result.compiled).to.equal(12);
    const manifest = JSON.parse(
      fs.readFileSync(path.join(root, '.detsim/overlay/manifest.json'), 'utf8'),
    ) as { files: Record<string, string> };
    expect(Object.keys(manifest.files)).to.deep.equal(paths(result));
    for (const file of Object.values(manifest.files)) {
      expect(fs.existsSync(path.join(root, '.detsim/overlay', file))).to.equal(true);
    }
  });

  it('compiles only the file that was edited', () => {
    const root = copyFixture('commonjs');
    expect(run(root).compiled).to.equal(5);
    expect(run(root).compiled).to.equal(0);
    fs.appendFileSync(path.join(root, 'src/odd.ts'), 'export const more = 1;\n');
    expect(run(root).compiled).to.equal(1);
  });

  it('reaches tests outside the tsconfig, plain JavaScript and instrumented packages', () => {
    const root = writeProject({
      'package.json': '{}',
      'detsim.config.json': '{ "instrument": ["buggy"] }',
      'test/a.test.js': "require('../lib/b'); require('other');",
      'lib/b.js': "import('./c.mjs');",
      'lib/c.mjs': 'export const c = 1;',
      'node_modules/buggy/package.json': '{ "main": "lib/main" }',
      'node_modules/buggy/lib/main.js': "exports.x = require('./x');",
      'node_modules/buggy/lib/x.js': '',
      'node_modules/other/index.js': '',
    });
    const result = run(root, { tests: [path.join(root, 'test/a.test.js')], check: true });
    expect(result.check).to.equal(undefined);
    expect(paths(result)).to.deep.equal([
      'lib/b.js',
      'lib/c.mjs',
      'node_modules/buggy/lib/main.js',
      'node_modules/buggy/lib/x.js',
      'test/a.test.js',
    ]);
  });

  it('goes on after a file that cannot be compiled', () => {
    const root = copyFixture('commonjs');
    fs.writeFileSync(path.join(root, 'src/bad.ts'), 'let = (;\n');
    const { errors, files } = run(root);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.be.instanceOf(UserError);
    expect(errors[0]!.message).to.match(/^src\/bad\.ts:1:/);
    expect(files).to.have.length(5);
  });

  it('reports type errors as tsc does, and again while nothing has changed', async () => {
    const root = copyFixture('commonjs');
    fs.writeFileSync(
      path.join(root, 'src/bad.ts'),
      "import { next } from './counter';\nimport './none';\nexport const x: string = next();\n",
    );
    const expected =
      "src/bad.ts(2,8): error TS2882: Cannot find module or type declarations for side-effect import of './none'.\n" +
      "src/bad.ts(3,14): error TS2322: Type 'number' is not assignable to type 'string'.";
    const first = await run(root, { check: true }).check!.result;
    expect(first).to.deep.equal({ errors: 2, text: expected });

    const startedMs = performance.now();
    expect(await run(root, { check: true }).check!.result).to.deep.equal(first);
    expect(performance.now() - startedMs, 'without a process').to.be.below(150);

    fs.writeFileSync(path.join(root, 'src/bad.ts'), 'export {};\n');
    expect(await run(root, { check: true }).check!.result).to.deep.equal({ errors: 0, text: '' });
  }).timeout(60_000);

  it('prints for a terminal on demand', async () => {
    const root = copyFixture('commonjs');
    fs.writeFileSync(path.join(root, 'src/bad.ts'), 'export const x: string = 1;\n');
    const { text } = await run(root, { check: true, pretty: true }).check!.result;
    expect(text).to.include('\u001b[').and.to.include('export const x: string = 1;');
  }).timeout(60_000);

  it('checks referenced projects from their sources, with their own options', async () => {
    const root = copyFixture('esm');
    fs.appendFileSync(path.join(root, 'shared/src/index.ts'), 'export const wrong: number = "";\n');
    const { text } = await run(root, { check: true }).check!.result;
    expect(text).to.equal(
      "shared/src/index.ts(17,14): error TS2322: Type 'string' is not assignable to type 'number'.",
    );
  }).timeout(60_000);

  it('can end a check before it is done', async () => {
    const { check } = run(copyFixture('commonjs'), { check: true });
    check!.stop();
    expect(await check!.result).to.deep.equal({ errors: 0, text: '' });
  });
});
