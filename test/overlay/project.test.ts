/**
 * A project: its root, its tsconfigs and their references, formats of files, instrumented packages.
 */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../cli/config.js';
import { UserError } from '../../cli/errors.js';
import { findRoot, Project } from '../../cli/overlay/project.js';
import { copyFixture, writeProject } from './fixture.js';

function open(root: string): Project {
  return new Project(root, loadConfig(root).config);
}

describe('project', () => {
  it('has its root at the nearest package.json or config', () => {
    const root = writeProject({
      'package.json': '{}',
      'src/deep/a.ts': '',
      'inner/detsim.config.json': '{}',
      'inner/test/a.ts': '',
    });
    expect(findRoot(path.join(root, 'src/deep'))).to.equal(root);
    expect(findRoot(path.join(root, 'inner/test'))).to.equal(path.join(root, 'inner'));
    expect(() => findRoot('/')).to.throw(UserError, 'no project found');
  });

  it('follows extends and references of references, with the options of each', () => {
    const root = writeProject({
      'package.json': '{}',
      'tsconfig.json': '{ "files": [], "references": [{ "path": "a" }] }',
      'base.json': '{ "compilerOptions": { "composite": true, "target": "es2020" } }',
      'a/tsconfig.json':
        '{ "extends": "../base.json", "references": [{ "path": "../b/other.json" }] }',
      'a/a.ts': '',
      'b/other.json':
        '{ "compilerOptions": { "composite": true, "target": "es2023" }, "files": ["b.ts"] }',
      'b/b.ts': '',
      'c.ts': '',
    });
    const project = open(root);
    const targetOf = (file: string): unknown =>
      project.tsconfigOf(path.join(root, file))?.options.target;
    const { es2020, es2023, es2025 } = { es2020: 7, es2023: 10, es2025: 12 };
    expect(targetOf('a/a.ts')).to.equal(es2020);
    expect(targetOf('b/b.ts')).to.equal(es2023);
    expect(targetOf('c.ts')).to.equal(es2025);
  });

  it('sees a file that is added to a referenced project later', () => {
    const root = copyFixture('esm');
    expect(open(root).tsconfigs).to.have.length(2);
    fs.writeFileSync(path.join(root, 'shared/src/later.ts'), '');
    const owner = open(root).tsconfigOf(path.join(root, 'shared/src/later.ts'));
    expect(owner?.path).to.equal(path.join(root, 'shared/tsconfig.json'));
  });

  it('notices a change of any tsconfig', () => {
    const root = copyFixture('esm');
    const base = path.join(root, 'tsconfig.base.json');
    const before = open(root).tsconfigs[0]!;
    expect(before.options.strict).to.equal(true);
    fs.writeFileSync(base, fs.readFileSync(base, 'utf8').replace('true', 'false'));
    const after = open(root).tsconfigs[0]!;
    expect(after.options.strict).to.equal(false);
    expect(after.optionsId).to.not.equal(before.optionsId);
  });

  it('works without a tsconfig', () => {
    const root = writeProject({ 'package.json': '{ "type": "module" }', 'a.js': '', 'b.cts': '' });
    const project = open(root);
    expect(project.tsconfigs).to.deep.equal([]);
    expect(project.formatRuleOf(path.join(root, 'a.js'))).to.equal('module');
    expect(project.formatRuleOf(path.join(root, 'b.cts'))).to.equal('commonjs');
  });

  it("takes the defaults of the project's own TypeScript", () => {
    const files = { 'package.json': '{}', 'tsconfig.json': '{}', 'a.ts': '' };
    const root = writeProject({
      ...files,
      'node_modules/typescript/package.json': '{ "version": "5.6.3" }',
    });
    const { options } = open(root).tsconfigs[0]!;
    expect(options).to.include({ target: 1, module: 1, esModuleInterop: false, strict: false });
    expect(options.useDefineForClassFields).to.equal(false);
    const newer = open(writeProject(files)).tsconfigs[0]!.options;
    expect(newer).to.include({ module: 99, esModuleInterop: true, useDefineForClassFields: true });
  });

  const formats: [module: string, type: string | undefined, file: string, rule: string][] = [
    ['nodenext', undefined, 'a.ts', 'commonjs'],
    ['nodenext', 'module', 'a.ts', 'module'],
    ['nodenext', 'module', 'a.cts', 'commonjs'],
    ['node16', 'commonjs', 'a.mts', 'module'],
    ['node20', 'module', 'a.tsx', 'module'],
    ['esnext', undefined, 'a.ts', 'module'],
    ['es2022', 'commonjs', 'a.ts', 'module'],
    ['preserve', undefined, 'a.ts', 'module'],
    ['commonjs', 'module', 'a.ts', 'commonjs'],
    ['commonjs', 'module', 'a.js', 'module'],
    ['commonjs', undefined, 'a.js', 'detect'],
    ['esnext', 'commonjs', 'a.js', 'commonjs'],
  ];
  for (const [module, type, file, rule] of formats) {
    it(`takes ${file} for ${rule} under module ${module} and type ${type}`, () => {
      const root = writeProject({
        'package.json': JSON.stringify({ type }),
        'tsconfig.json': JSON.stringify({ compilerOptions: { module } }),
        'a.ts': '',
      });
      expect(open(root).formatRuleOf(path.join(root, file))).to.equal(rule);
    });
  }

  it('instruments its own files and the packages named, nested copies and aliases too', () => {
    const root = writeProject({
      'package.json': '{}',
      'detsim.config.json': '{ "instrument": ["buggy", "@scope/one"], "stubs": ["fakes/**/*.ts"] }',
      'store/real-name@1/node_modules/real-name/index.js': '',
    });
    fs.mkdirSync(path.join(root, 'node_modules'));
    fs.symlinkSync(
      path.join(root, 'store/real-name@1/node_modules/real-name'),
      path.join(root, 'node_modules/buggy'),
    );
    const project = open(root);
    const instrumented = (file: string): boolean => project.isInstrumented(path.join(root, file));
    const yes = [
      'src/a.ts',
      'test/a.test.js',
      'a.mts',
      'node_modules/buggy/lib/a.js',
      'node_modules/other/node_modules/@scope/one/a.cjs',
      'store/real-name@1/node_modules/real-name/index.js',
    ];
    const no = [
      'a.d.ts',
      'a.json',
      'node_modules/other/a.js',
      'node_modules/buggy/node_modules/other/a.js',
      'node_modules/@scope/two/a.js',
      'store/real-name@1/node_modules/other/index.js',
      '.detsim/overlay/files/a.js',
      '../outside.ts',
    ];
    expect(yes.filter((file) => !instrumented(file))).to.deep.equal([]);
    expect(no.filter(instrumented)).to.deep.equal([]);
    const stub = (file: string): boolean => project.isStub(path.join(root, file));
    for (const file of ['fakes/deep/db.ts', 'test/helpers.ts', 'src/__tests__/clock.mts']) {
      expect(stub(file), file).to.equal(true);
    }
    for (const file of ['src/testing.ts', 'node_modules/buggy/test/a.js', '../test/a.ts']) {
      expect(stub(file), file).to.equal(false);
    }
    expect(project.isStub(path.join(root, 'src/fakes/db.ts'))).to.equal(false);
  });

  it('never instruments the running detsim itself', () => {
    const root = path.join(__dirname, '../../..');
    const project = new Project(root, { overlay: path.join(writeProject({}), 'overlay') });
    expect(project.isInstrumented(path.join(root, 'examples/a.ts'))).to.equal(true);
    expect(project.isInstrumented(require.resolve('../../runtime/index.js'))).to.equal(false);
  });

  it('reports a tsconfig that is named and missing, or broken', () => {
    const missing = writeProject({
      'package.json': '{}',
      'detsim.config.json': '{ "tsconfig": "tsconfig.test.json" }',
    });
    expect(() => open(missing)).to.throw(UserError, 'names the tsconfig "tsconfig.test.json"');

    const broken = writeProject({
      'package.json': '{}',
      'tsconfig.json': '{\n  "compilerOptions": { "module": "nonsense" }\n}',
    });
    expect(() => open(broken).tsconfigs).to.throw(
      UserError,
      /^tsconfig\.json\(2,34\): error TS6046/,
    );

    const lost = writeProject({
      'package.json': '{}',
      'tsconfig.json': '{ "extends": "./none.json" }',
    });
    expect(() => open(lost).tsconfigs).to.throw(UserError, /error TS(6053|5083)/);
  });
});
