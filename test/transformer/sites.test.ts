/** The sites that the analyzer finds: kind, position, enclosing function, text. */

import { expect } from 'chai';
import { compile, sitesOf } from './compiled.js';

const cases: Record<string, [source: string, sites: string[]]> = {
  'functions by name': [
    `async function f() {}
const g = async () => {}, h = async function () {};
class C { async m() {} static async s() {} p = async () => {}; async #q() {} }
const o = { async m() {}, p: async () => {}, async ['c']() {} };
export default async function () {}
call(async () => {});`,
    [
      'function 1:16 f async function f()',
      'function 2:11 g async () =>',
      'function 2:31 h async function ()',
      'function 3:17 C.m async m()',
      'function 3:37 C.s async s()',
      'function 3:48 C.p async () =>',
      'function 3:70 C.#q async #q()',
      'function 4:19 m async m()',
      'function 4:30 p async () =>',
      "function 4:52 [c] async ['c']()",
      'function 5:16 default async function ()',
      'function 6:6 <anonymous> async () =>',
    ],
  ],
  awaits: [
    `async function f() {
  const x = await g(1,
    2);
  await (await x);
}`,
    [
      'function 1:16 f async function f()',
      'await 2:13 f g(1, 2)',
      'await 4:3 f (await x)',
      'await 4:10 f x',
    ],
  ],
  'async functions that a compiler has lowered': [
    `const tslib_1 = require('tslib');
var __async = (self, given, generator) => Promise.resolve().then(() => generator());
class C { m() { return tslib_1.__awaiter(this, void 0, void 0, function* () { yield a(); return b(); }); } }
const f = () => __async(this, null, function* () { const x = yield c; });
function g() { return __awaiter(this, void 0, void 0, function () {
  return __generator(this, function (_a) { switch (_a.label) {
    case 0: return [4 /*yield*/, d()];
    case 1: _a.sent(); return [2 /*return*/, e];
  } });
}); }
const h = _asyncToGenerator(function* () { yield* i; });`,
    [
      'function 3:64 C.m function* ()',
      'await 3:79 C.m a()',
      'return 3:90 C.m b()',
      'function 4:37 f function* ()',
      'await 4:62 f c',
      'function 6:28 g function (_a)',
      'await 7:34 g d()',
      'return 8:24 g e',
      'function 11:29 h function* ()',
    ],
  ],
  'for await, yield, return': [
    `async function* f() {
  for await (const x of s()) yield x;
  yield* t;
  return 1;
}
async function g() { if (a) return p; return 1; }
const h = async () => q();`,
    [
      'function 1:17 f async function* f()',
      'forAwait 2:3 f s(...)',
      'yield 2:30 f x',
      'yield 3:3 f t',
      'return 4:3 f 1',
      'function 6:16 g async function g()',
      'return 6:29 g p',
      'function 7:11 h async () =>',
      'return 7:23 h q()',
    ],
  ],
  'await using': [
    `async function f() {
  { await using a = g(); }
  for (await using b of c) d();
}`,
    [
      'function 1:16 f async function f()',
      'dispose 2:5 f await using a = g();',
      'dispose 3:8 f await using b',
    ],
  ],
  reactions: [
    `p
  .then(a)
  .catch(b);
function f() { return q.finally(c); }
x?.then(a); x.y?.z.then(b); super_.then; x['then'](a); new p.then(a);`,
    ['reaction 3:4  p.then(...).catch', 'reaction 2:4  p.then', 'reaction 4:25 f q.finally'],
  ],
  'top-level await': [`const x = await p;\nexport {};`, ['function 1:1  module', 'await 1:11  p']],
  calls: [
    `import { setTimeout as sleep } from 'node:timers/promises';
import * as fs from 'fs';
import { readFile } from 'fs/promises';
import nodeCrypto, { randomUUID } from 'crypto';
const { random } = Math, { now: clock } = Date, later = setTimeout;
const child = require('node:child_process'), { promisify } = require('util'), read = promisify(fs.readFile);
sleep(1); fs.promises.stat('x'); readFile('x'); randomUUID(); nodeCrypto.randomBytes(1);
random(); clock(); later(f, 1); globalThis.setTimeout(f); child.spawn('x'); read('x');
performance.now(); process.hrtime.bigint(); new Date(); new WebSocket('x'); Date(); setTimeout?.(f);`,
    [
      'call 7:1  sleep',
      'call 7:23  fs.promises.stat',
      'call 7:34  readFile',
      'call 7:49  randomUUID',
      'call 7:74  nodeCrypto.randomBytes',
      'call 8:1  random',
      'call 8:11  clock',
      'call 8:20  later',
      'call 8:44  globalThis.setTimeout',
      'call 8:65  child.spawn',
      'call 8:77  read',
      'call 9:13  performance.now',
      'call 9:35  process.hrtime.bigint',
      'call 9:61  WebSocket',
      'call 9:77  Date',
      'call 9:85  setTimeout',
    ],
  ],
  'names that are not the global ones': [
    `import { now } from './clock';
function f(setTimeout: any, Math: any) { setTimeout(1); Math.random(); }
class Date2 { static now() {} }
{ const fetch = (x: any) => x; fetch('x'); }
function g() { setInterval(1); function setInterval(x: any) {} }
for (const Date of []) Date.now();
now(); obj.setTimeout(1); Date2.now(); this.fetch('x');`,
    [],
  ],
};

describe('transformer: sites', () => {
  for (const [name, [source, sites]] of Object.entries(cases)) {
    it(name, () => {
      const format = name.startsWith('top-level') ? 'module' : 'commonjs';
      const result = compile(source, { format });
      expect(result.diagnostics).to.deep.equal([]);
      expect(sitesOf(result)).to.deep.equal(sites);
    });
  }

  it('keeps a text on one line of 60 characters', () => {
    const [, site] = sitesOf(compile(`async function f() { await g(\n  ${'x, '.repeat(40)}); }`));
    expect(site).to.match(/^await 1:22 f g\( x, x, .*…$/);
    expect(site.slice('await 1:22 f '.length)).to.have.length(60);
  });

  it('says who waits outside of async functions', () => {
    const [found] = compile('\nfunction f() {\n  await g();\n}').diagnostics;
    expect(found).to.include({ file: 'src/sample.ts', line: 3, column: 3 });
    expect(found.message).to.match(/^`await` is only allowed in async functions/);
  });

  it('reports a syntax error with its position', () => {
    const [found] = compile('const a = 1;\nconst b = (;').diagnostics;
    expect(found).to.deep.equal({
      file: 'src/sample.ts',
      line: 2,
      column: 12,
      message: 'Expression expected.',
    });
  });
});
