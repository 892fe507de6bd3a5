/** The transformer in the compilers that take one: ts-patch, ts-node, and the compiler API. */

import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import transformer from '../../transformer/index.js';
import { makeFolder } from './programs.js';

const fixture = path.join(__dirname, '../../../test/fixtures/transformer/front-door');

describe('transformer: front doors', function () {
  this.timeout(60_000);
  let folder: string;
  before(() => {
    folder = makeFolder();
    fs.cpSync(fixture, folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }');
  });
  after(() => fs.rmSync(folder, { recursive: true }));

  const node = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const emitted = (name: string): string => fs.readFileSync(path.join(folder, 'out', name), 'utf8');

  it('ts-patch: tspc with compilerOptions.plugins', () => {
    expect(node('node_modules/ts-patch/bin/tspc.js', '-p', '.')).to.equal('');
    expect(emitted('main.js')).to.include('require("detsim/runtime")');
    expect(emitted('main.js')).to.include('"src/main.ts", [["function", 6, 16, "main"');
    expect(emitted('main.js')).to.match(/setTimeout\(resolve, \$d\.at\(\$s \+ \d, 1\)\)/);
    expect(emitted('stand-in.js')).to.include('return $d.tag(Promise.resolve(value))');
    expect(emitted('module.mjs')).to.include('import * as $d from "detsim/runtime"');
    expect(node('out/main.js')).to.equal('VALUE\n');
    const load = `import(${JSON.stringify(pathToFileURL(path.join(folder, 'out/module.mjs')).href)})`;
    expect(node('--input-type=module', '-e', `console.log((await ${load}).value)`)).to.equal('1\n');
  });

  it('ts-patch: errors fail the compile, warnings are shown beside it', () => {
    const source = path.join(folder, 'src', 'main.ts');
    const text = fs.readFileSync(source, 'utf8');
    const added = '\nexport const ref = new WeakRef({});\neval("await 1");\n';
    fs.writeFileSync(source, text + added);
    const tspc = path.join(folder, 'node_modules/ts-patch/bin/tspc.js');
    const done = spawnSync(process.execPath, [tspc, '-p', '.'], { cwd: folder, encoding: 'utf8' });
    fs.writeFileSync(source, text);
    expect(done.stderr).to.match(/^src\/main\.ts\(\d+,\d+\): warning TS631105: .*\(DS1105\)\n$/);
    expect(done.stdout).to.match(/^src\/main\.ts\(\d+,\d+\): error TS631007: .*\(DS1007\)\n$/);
    expect(done.status).to.equal(2);
    expect(emitted('main.js')).to.include('require("detsim/runtime")');
  });

  for (const mode of ['checked', 'transpile-only']) {
    it(`ts-node, ${mode}`, () => {
      const register = mode === 'checked' ? 'register' : 'register/transpile-only';
      const show =
        "process.on('exit', () => console.log(Object.keys(require.cache).some((f) => /tasks.hooks/.test(f))))";
      const program = `require(${JSON.stringify(path.join(folder, 'src/main.ts'))}); ${show}`;
      expect(node('-r', `ts-node/${register}`, '-e', program)).to.equal('VALUE\ntrue\n');
    });
  }

  it('the compiler API, with the default stand-ins', () => {
    const text = 'export function load() { return Promise.resolve(1); }';
    const emit = (name: string): string => {
      const options = {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.CommonJS,
        noLib: true,
      };
      const host = ts.createCompilerHost(options);
      let output = '';
      host.getSourceFile = (file) =>
        file === name ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022) : undefined;
      host.writeFile = (_, written) => void (output = written);
      const program = ts.createProgram([name], options, host);
      program.emit(undefined, undefined, undefined, false, { before: [transformer(program)] });
      return output;
    };
    expect(emit(path.resolve('src/load.ts'))).to.not.include('$d');
    expect(emit(path.resolve('src/load.test.ts'))).to.include('$d.tag(');
    expect(emit(path.resolve('test/load.ts'))).to.include('$d.tag(');
  });
});
