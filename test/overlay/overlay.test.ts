/**
 * The cache of compiled files: when a file is compiled, what is kept, and what it survives.
 */

import { expect } from 'chai';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../../cli/errors.js';
import { copyFixture, openOverlay, writeProject } from './fixture.js';

describe('overlay', () => {
  it('compiles a file once, and again only when it has changed', () => {
    const root = copyFixture('commonjs');
    const counter = path.join(root, 'src/counter.ts');
    const even = path.join(root, 'src/even.ts');
    const first = openOverlay(root);
    first.get(counter);
    first.get(even);
    first.get(even);
    expect(first.compiledCount).to.equal(2);

    const text = fs.readFileSync(counter, 'utf8');
    fs.writeFileSync(counter, text.replace('let count = 0', 'let count = 10'));
    const second = openOverlay(root);
    expect(second.get(counter).code).to.include('count = 10');
    expect(second.get(even).code).to.equal(first.get(even).code);
    expect(second.compiledCount).to.equal(1);

    fs.writeFileSync(counter, text);
    const third = openOverlay(root);
    expect(third.get(counter)).to.deep.equal(first.get(counter));
    expect(third.compiledCount).to.equal(0);
  });

  it('inlines ambient const enums, and notices when they change', () => {
    const declaration = (red: number): string =>
      `export declare const enum Color { Red = ${red}, Blue }`;
    const root = writeProject({
      'package.json': '{}',
      'tsconfig.json': '{ "compilerOptions": { "module": "node16" } }',
      'a.ts': "import { Color } from 'enums';\nexport const blue = Color.Blue;\n",
      'node_modules/enums/package.json': '{ "types": "index.d.ts" }',
      'node_modules/enums/index.d.ts': declaration(5),
    });
    const code = (): string => openOverlay(root).get(path.join(root, 'a.ts')).code;
    expect(code()).to.include('exports.blue = 6;').and.to.not.include('"enums"');
    fs.writeFileSync(path.join(root, 'node_modules/enums/index.d.ts'), declaration(50));
    expect(code()).to.include('exports.blue = 51;');
  });

  it('keeps the last versions of a file, not all', () => {
    const root = writeProject({ 'package.json': '{}', 'src/a.ts': '', 'src/a.test.ts': '' });
    const file = path.join(root, 'src/a.ts');
    openOverlay(root).get(path.join(root, 'src/a.test.ts'));
    for (let i = 0; i < 12; i++) {
      fs.writeFileSync(file, `export const a = ${i};`);
      openOverlay(root).get(file);
    }
    const names = fs.readdirSync(path.join(root, '.detsim/overlay/files/src'));
    expect(names.filter((name) => /^a\.ts\.\w+\.js$/.test(name))).to.have.length(8);
    expect(names.filter((name) => /^a\.ts\.\w+\.js\.map$/.test(name))).to.have.length(8);
    expect(names.filter((name) => name.startsWith('a.test.ts'))).to.have.length(2);
    const overlay = openOverlay(root);
    overlay.get(file);
    expect(overlay.compiledCount).to.equal(0);
  });

  it('says so when it cannot be written', () => {
    const root = writeProject({
      'package.json': '{}',
      'detsim.config.json': '{ "overlay": "package.json/overlay" }',
    });
    expect(() => openOverlay(root)).to.throw(UserError, 'cannot be written');
  });

  it('keeps itself out of version control, and is CommonJS', () => {
    const root = copyFixture('esm');
    openOverlay(root);
    const read = (name: string): string =>
      fs.readFileSync(path.join(root, '.detsim/overlay', name), 'utf8');
    expect(read('.gitignore')).to.equal('*\n');
    expect(JSON.parse(read('package.json'))).to.deep.equal({ type: 'commonjs' });
  });

  it('never touches the files of the project', () => {
    const root = copyFixture('esm');
    const listing = (): string[] =>
      fs
        .readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => !name.startsWith('.detsim'))
        .map((name) => `${name} ${fs.statSync(path.join(root, name)).mtimeMs}`);
    const before = listing();
    openOverlay(root).get(path.join(root, 'src/index.ts'));
    expect(listing()).to.deep.equal(before);
  });

  it('marks stand-ins: test files and what the config names', () => {
    const root = writeProject({
      'package.json': '{}',
      'detsim.config.json': '{ "stubs": ["fakes/*.ts"] }',
      'a.ts': 'export const f = (x: any) => x();',
      'fakes/db.ts': 'export const f = (x: any) => x();',
    });
    const tag = '.tag(';
    const plain = openOverlay(root);
    expect(plain.get(path.join(root, 'a.ts')).code).to.not.include(tag);
    expect(plain.get(path.join(root, 'fakes/db.ts')).code).to.include(tag);
    const test = openOverlay(root, { tests: [path.join(root, 'a.ts')] });
    expect(test.get(path.join(root, 'a.ts')).code).to.include(tag);
  });

  it('reports a syntax error with its position, and keeps nothing of the file', () => {
    const root = writeProject({ 'package.json': '{}', 'src/a.ts': 'const a = 1;\nlet = (;\n' });
    const attempt = (): unknown => openOverlay(root).get(path.join(root, 'src/a.ts'));
    expect(attempt).to.throw(UserError, /^src\/a\.ts:2:\d+: /);
    expect(attempt).to.throw(UserError, /^src\/a\.ts:2:\d+: /);
  });

  it('reports an await at the top level of a CommonJS file', () => {
    const root = writeProject({
      'package.json': '{}',
      'tsconfig.json': '{ "compilerOptions": { "module": "commonjs" } }',
      'a.ts': 'export const a = 1;\nexport const b = await a;\n',
    });
    expect(() => openOverlay(root).get(path.join(root, 'a.ts'))).to.throw(
      UserError,
      'a.ts:2:18: this file is a CommonJS module, which cannot await at its top level',
    );
  });

  it('does not load TypeScript while nothing has changed', async () => {
    const root = copyFixture('esm');
    const script = `
      const { Overlay } = require(${JSON.stringify(require.resolve('../../cli/overlay/overlay.js'))});
      const { Project } = require(${JSON.stringify(require.resolve('../../cli/overlay/project.js'))});
      const { Loader } = require(${JSON.stringify(require.resolve('../../runtime/loader/loader.js'))});
      const root = ${JSON.stringify(root)};
      const overlay = new Overlay(new Project(root, {}));
      new Loader(overlay).fresh().importFile(root + '/src/index.ts').then(() => {
        const loaded = Object.keys(require.cache).some((file) => file.includes('/typescript/'));
        console.log(loaded, overlay.compiledCount > 0);
      });`;
    const run = async (): Promise<string> =>
      (await promisify(execFile)(process.execPath, ['--no-warnings', '-e', script])).stdout.trim();
    expect(await run()).to.equal('true true');
    expect(await run()).to.equal('false false');
  }).timeout(60_000);

  it('serves several processes at once', async () => {
    const root = copyFixture('esm');
    const script = `
      const { Overlay } = require(${JSON.stringify(require.resolve('../../cli/overlay/overlay.js'))});
      const { Project } = require(${JSON.stringify(require.resolve('../../cli/overlay/project.js'))});
      const root = ${JSON.stringify(root)};
      const overlay = new Overlay(new Project(root, {}));
      const names = ['index.ts', 'slow.ts', 'lib/math.ts', 'plain.js', 'extra.mts', 'legacy.cts'];
      console.log(names.map((name) => overlay.get(root + '/src/' + name).code.length).join());`;
    const run = async (): Promise<string> =>
      (await promisify(execFile)(process.execPath, ['-e', script])).stdout;
    const [one, two] = await Promise.all([run(), run()]);
    expect(one).to.equal(two);
    const files = fs.readdirSync(path.join(root, '.detsim'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => file.endsWith('.tmp'))).to.deep.equal([]);
  }).timeout(60_000);

  it('survives a damaged cache', () => {
    const root = copyFixture('commonjs');
    const counter = path.join(root, 'src/counter.ts');
    const { codeFile, code } = openOverlay(root).get(counter);
    fs.writeFileSync(codeFile, code.slice(0, 20));
    fs.writeFileSync(path.join(root, '.detsim/overlay/project.json'), '{ "key"');
    expect(openOverlay(root).get(counter).code).to.equal(code);
  });
});
