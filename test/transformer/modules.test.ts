/**
 * ES module syntax in the CommonJS text of the overlay, and what is left of a file's own meaning.
 */

import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { compile, evaluate } from './compiled.js';

const asModule = { format: 'module' } as const;
const script = { file: '/project/src/sample.js' };

describe('transformer: modules', () => {
  it('lists the imports that are left, in order', () => {
    const { imports } = compile(
      `import type { A } from './type';
import { B } from './unused';
import './effect';
import c, { type D } from './c';
export * from './star';
export { e } from './e';
import * as f from './f';
c(f, null as any as B);`,
      asModule,
    );
    expect(imports).to.deep.equal(['./effect', './c', './star', './e', './f']);
    const verbatim = { options: { verbatimModuleSyntax: true } };
    expect(
      compile(`import { B } from './kept';`, { ...asModule, ...verbatim }).imports,
    ).to.deep.equal(['./kept']);
  });

  it('runs imports before everything else', () => {
    const order: string[] = [];
    const modules = {
      a: {
        get x() {
          order.push('a');
          return 1;
        },
      },
      log: { log: (x: string) => order.push(x) },
    };
    const result = compile(
      `import { log } from 'log';\nlog('start');\nlog(String(y));\nimport { x as y } from 'a';`,
      asModule,
    );
    expect(result.imports).to.deep.equal(['log', 'a']);
    evaluate(result, modules);
    expect(order).to.deep.equal(['start', 'a', '1']);
  });

  it('gives live bindings and hoisted functions', () => {
    const exports = evaluate(
      compile(
        `export let n = 1; export function f() { return n++; } export default f; export { n as m };`,
        asModule,
      ),
    );
    exports.f();
    expect([exports.n, exports.m, exports.default()]).to.deep.equal([2, 2, 2]);
  });

  it('leaves the names of CommonJS to the module', () => {
    const source = `import { createRequire } from 'node:module';
import path, { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
const require = createRequire(import.meta.url);
const __dirname = dirname(fileURLToPath(import.meta.url));
const exports = { require }, module = { exports };
function inner(require) { return require; }
export const all = [require('node:path') === path || path.default, __dirname, module.exports.require === require, inner(5)];
export { require as load };`;
    // The loader puts the text into a function of its own, so that __dirname can be declared.
    const { code, ...rest } = compile(source, { ...asModule, file: '/project/src/sample.mjs' });
    const exported = evaluate({ ...rest, code: `(() => {${code}})()` });
    expect(exported.all.slice(1)).to.deep.equal(['/project/src', true, 5]);
    expect(exported.load('node:path')).to.equal(require('node:path'));
  });

  it('takes names that Node does not give to ES modules away', () => {
    const types = `export const types = [typeof require, typeof module, typeof exports, typeof __filename];`;
    const run = (file: string): string[] => evaluate(compile(types, { ...asModule, file })).types;
    expect(run('/project/src/sample.mjs')).to.deep.equal(Array(4).fill('undefined'));
    // Tools that run TypeScript do give them.
    expect(run('/project/src/sample.ts')).to.deep.equal(['function', 'object', 'object', 'string']);
  });

  it('puts the original place into import.meta', () => {
    const source = `const { url } = import.meta;
export const all = [import.meta.filename, import.meta.dirname, import.meta.url === url, url];
export const resolved = [import.meta.resolve('fs'), import.meta.resolve('node:fs'), import.meta.resolve('file:///x')];`;
    const { all, resolved } = evaluate(compile(source, asModule));
    expect(all).to.deep.equal([
      '/project/src/sample.ts',
      '/project/src',
      true,
      'file:///project/src/sample.ts',
    ]);
    expect(resolved).to.deep.equal(['node:fs', 'node:fs', 'file:///x']);
  });

  it('gives import() to the loader, without attributes', () => {
    const { code } = compile(`import('./x.json', { with: { type: 'json' } }); import(a + b);`);
    expect(code).to.include("$import('./x.json');").and.include('$import(a + b)');
  });

  it('drops import attributes', () => {
    const result = compile(
      `import data from './x.json' with { type: 'json' };\nexport default data.x;`,
      asModule,
    );
    expect(result.diagnostics).to.deep.equal([]);
    const json = { __esModule: true, default: { x: 1 } };
    expect(evaluate(result, { './x.json': json }).default).to.equal(1);
  });

  it('keeps `import x = require()` and `export =`', () => {
    const commonjs = compile(`import path = require('node:path');\nexport = path.sep;`);
    expect(evaluate(commonjs)).to.equal('/');
    const esm = compile(
      `import path = require('node:path'); import type t = require('./t');\nexport const sep = path.sep;`,
      asModule,
    );
    expect(esm.imports).to.deep.equal([]);
    expect(evaluate(esm).sep).to.equal('/');
  });

  it('uses interop as the project says, and always in ES modules', () => {
    const source = `import x from 'x';\nexport default x;`;
    const modules = { x: () => 'x' };
    const options = { esModuleInterop: false };
    expect(evaluate(compile(source), modules).default()).to.equal('x');
    expect(evaluate(compile(source, { options }), modules).default).to.equal(undefined);
    expect(evaluate(compile(source, { ...asModule, options }), modules).default()).to.equal('x');
  });

  it('awaits at the top level of modules only', async () => {
    const source = `export const x = await Promise.resolve(1);`;
    const result = compile(source, asModule);
    expect(result.topLevelAwait).to.equal(true);
    expect(await evaluate(result)).to.include({ x: 1 });
    expect(
      compile(
        'export {}; async function f() { await 1; } class C { async m() { await 1; } }',
        asModule,
      ).topLevelAwait,
    ).to.equal(false);
    const [problem] = compile('const x = await p;', script).diagnostics;
    expect(problem).to.include({ line: 1, column: 11 });
  });
});

describe('transformer: ambient const enums', () => {
  let folder: string;
  const write = (name: string, text: string): void => {
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  before(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-enums-'))));
  after(() => fs.rmSync(folder, { recursive: true }));

  it('become their values, and their imports go', () => {
    write('node_modules/kinds/package.json', '{ "types": "index.d.ts" }');
    write(
      'node_modules/kinds/index.d.ts',
      `export * from './more.js'; export { Flag } from './flag';`,
    );
    write(
      'node_modules/kinds/more.d.ts',
      `export declare const enum Kind { A, B = 5, C, S = 's', N = -1 }`,
    );
    write(
      'node_modules/kinds/flag.d.ts',
      `declare const enum Flag { X = 1 << 2, Y = X | 1 } export { Flag };`,
    );
    write('own.ts', `export const enum Own { A = 7 }`);
    const source = `import { Kind, Flag as F, type T } from 'kinds';
import { Own } from './own';
declare const enum Local { L = 3 }
export const all = [Kind.A, Kind.B, Kind.C, Kind.S, Kind.N, F.X, F.Y, Local.L, Own.A] as const;
export type K = Kind.A;`;
    const result = compile(source, { file: path.join(folder, 'sample.ts') });
    const modules = { './own': { Own: { A: 7 } } };
    expect(evaluate(result, { ...modules, kinds: {} }).all).to.deep.equal([
      0,
      5,
      6,
      's',
      -1,
      4,
      5,
      3,
      7,
    ]);
    const only = compile(`import { Kind } from 'kinds'; export const a = Kind.B;`, {
      file: path.join(folder, 'sample.ts'),
    });
    expect(only.imports).to.deep.equal([]);
    expect(evaluate(only).a).to.equal(5);
  });

  it('are not seen in other names', () => {
    write('node_modules/real/package.json', '{ "types": "index.d.ts" }');
    write(
      'node_modules/real/index.d.ts',
      `export declare class Kind { static A: number } export declare const enum E { A }`,
    );
    const source = `import { Kind } from 'real'; export const a = Kind.A;`;
    const result = compile(source, { file: path.join(folder, 'sample.ts') });
    expect(evaluate(result, { real: { Kind: { A: 9 } } }).a).to.equal(9);
  });
});

describe('transformer: what a file means', function () {
  this.timeout(20_000);

  it('keeps the class fields of the target that the project names', () => {
    const source = `class A { set x(v: any) { (globalThis as any).fieldWasSet = true; } }
class B extends A { x = 1; }
export const own = Object.hasOwn(new B(), 'x');`;
    const own = (options: ts.CompilerOptions): boolean =>
      evaluate(compile(source, { options })).own;
    const { ES2017, ES2022 } = ts.ScriptTarget;
    expect(own({ target: ES2017 })).to.equal(false);
    expect(own({ target: ES2022 })).to.equal(true);
    expect(own({ target: ES2017, useDefineForClassFields: true })).to.equal(true);
    expect(own({ target: ES2022, useDefineForClassFields: false })).to.equal(false);
  });

  it('keeps async functions native whatever the target', () => {
    const { code } = compile('export async function f() { await 1; }', {
      options: { target: ts.ScriptTarget.ES2017 },
    });
    expect(code).to.include('async function f()').and.not.include('__awaiter');
  });

  it('lowers decorators, accessors and using for Node 20', () => {
    const { code, diagnostics } = compile(
      `const d: any = () => {}; @d class A { accessor x = 1; } { using y = null; void y; }`,
      { options: { target: ts.ScriptTarget.ESNext } },
    );
    expect(diagnostics).to.deep.equal([]);
    expect(code).to.not.match(/@d|accessor x|using y/);
    evaluate({ ...compile('', script), code });
  });

  it('leaves packages and scripts without anything to do as they are', () => {
    const text = `var x = 010, $ = /* kept */ {};\n\n  module.exports = function () { return x?.y ?? 1_000; };\n`;
    const result = compile(text, script);
    expect(result.code).to.equal(text);
    expect(result.diagnostics).to.deep.equal([]);
    expect(JSON.parse(result.map).mappings).to.match(/^AAAA,IAAI,EAAE,EAAE,GAAG/);
  });

  it('adds no "use strict" to scripts', () => {
    const result = compile('exports.f = async function () { return this === undefined; };', script);
    expect(result.code).to.not.include('use strict');
  });

  it('takes the #! line and links to other source maps out', () => {
    const text =
      '#!/usr/bin/env node\nexports.f = async () => 1;\n//# sourceMappingURL=other.js.map\n';
    for (const body of [text, text.replace('async', '')]) {
      const { code } = compile(body, script);
      expect(code).to.match(/^\n/).and.not.include('sourceMappingURL');
    }
  });

  it('compiles long chains, and says when one is too long', () => {
    const sum = `exports.f = async () => (await 1)${' + 1'.repeat(3000)};`;
    expect(compile(sum, script).diagnostics).to.deep.equal([]);
    const [found] = compile(`p.then(1); x${'.f(1)'.repeat(5000)}`, script).diagnostics;
    expect(found.message).to.include('too deeply');
  });

  it('reads a file with a byte order mark', () => {
    const { code } = compile('\uFEFFexports.f = async () => 1;', script);
    expect(code).to.not.include('\uFEFF');
  });

  it('evaluates decorators with awaits in order, in a place where they may await', async () => {
    const source = `const p = <T>(v: T) => Promise.resolve(v), order: string[] = [];
const dec = (label: string) => (order.push(label), (_: any, c: any) => void order.push('apply ' + label));
export async function run() {
  @dec(await p('class'))
  class A extends (await p(Object)) {
    @dec(await p('method')) m() { return 'm'; }
    @dec('field') f = 1;
    async [await p('computed')]() { return 'c'; }
  }
  const a: any = new A(), B = @dec(await p('expression')) class { x = 1; };
  return [a.m(), a.f, await a.computed(), new B().x, ...order];
}
@dec(await p('top')) class Top { @dec(await p('member')) m() {} }
export { Top };`;
    const result = compile(source, asModule);
    expect(result.diagnostics).to.deep.equal([]);
    const applied = (name: string): string => `apply ${name}`;
    expect(await (await evaluate(result)).run()).to.deep.equal([
      'm',
      1,
      'c',
      1,
      'top',
      'member',
      applied('member'),
      applied('top'),
      'class',
      'method',
      'field',
      applied('method'),
      applied('field'),
      applied('class'),
      'expression',
      applied('expression'),
    ]);
  });

  it('keeps labels of loops with `await using`', async () => {
    const source = `const S: any = Symbol; S.asyncDispose ??= Symbol('d'); S.dispose ??= Symbol('e');
const log: any[] = [], res = (n: any) => ({ n, async [S.asyncDispose]() { log.push('close ' + n); } }) as any;
export async function run() {
  let i = 0;
  outer: for (await using a = res('a'); i < 3; i++) {
    void a;
    for (const x of [1, 2]) { if (i === 0) continue outer; log.push(i, x); if (i === 1) break outer; }
  }
  each: for (await using b of [res('b'), res('c')]) {
    for (const x of [1]) { log.push(b.n); continue each; }
    log.push('never');
  }
  return log;
}`;
    expect(await evaluate(compile(source)).run()).to.deep.equal([
      1,
      1,
      'close a',
      'b',
      'close b',
      'c',
      'close c',
    ]);
  });
});
