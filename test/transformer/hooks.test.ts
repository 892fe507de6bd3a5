/** Which hooks each construct calls, in which order, with which site. */

import { expect } from 'chai';
import { compile, evaluate, recordingRuntime, type Call } from './compiled.js';

/** Runs `body` in an async function of compiled text and gives the hooks as one line each. */
async function hooksOf(body: string, kind = 'async function'): Promise<string[]> {
  const calls: Call[] = [];
  const text = `const order: any[] = [];
const f = (...args: any[]) => Promise.resolve(args.length), o = { f, x: 1 }, xs = [1, 2];
export const run = ${kind} () { ${body} };`;
  const result = compile(text);
  const { run } = evaluate(result, { 'detsim/runtime': recordingRuntime(calls) });
  calls.length = 0;
  const returned = run();
  if (kind.endsWith('*')) for await (const value of returned) calls.push([`got ${value}`]);
  else await returned?.catch?.(() => {});
  const base = Math.min(...calls.flatMap(([, site]) => (typeof site === 'number' ? [site] : [])));
  return calls.map(([hook, site]) => (typeof site === 'number' ? `${hook} ${site - base}` : hook));
}

describe('transformer: hooks', () => {
  const cases: Record<string, [body: string, ...hooks: string[]]> = {
    'nothing to wait for': ['', 'enter 0', 'exit'],
    await: ['await 1;', 'enter 0', 'suspend 1', 'resume', 'exit'],
    'await of a call': ['await f(1);', 'enter 0', 'direct', 'suspend 1', 'resume', 'exit'],
    'await of a call without arguments': [
      'await o.f();',
      'enter 0',
      'direct',
      'suspend 1',
      'resume',
      'exit',
    ],
    'await of what a call gives to call': [
      'await f.bind(null)();',
      'enter 0',
      'noArgs',
      'suspend 1',
      'resume',
      'exit',
    ],
    'a reaction to what a call gives to call': [
      'f.bind(null)().then(f);',
      'enter 0',
      'clearNone',
      'then 1',
      'exit',
    ],
    'await of a call with a spread': [
      'await f(...xs);',
      'enter 0',
      'direct',
      'suspend 1',
      'resume',
      'exit',
    ],
    'await of an optional call': [
      'await o?.f();',
      'enter 0',
      'noArgs',
      'suspend 1',
      'resume',
      'exit',
    ],
    'await of a call that is not made': [
      'await (null as any)?.f(1);',
      'enter 0',
      'suspend 1',
      'resume',
      'exit',
    ],
    'await of a value': ['await o.x;', 'enter 0', 'suspend 1', 'resume', 'exit'],
    'await in an argument': [
      'await f(await f(1));',
      'enter 0',
      'direct',
      'suspend 2',
      'resume',
      'direct',
      'suspend 1',
      'resume',
      'exit',
    ],
    'return of a promise': ['return f();', 'enter 0', 'direct', 'leave 1', 'exit'],
    'return of a value': ['return 1 + 1;', 'enter 0', 'exit'],
    'return await': ['return await f();', 'enter 0', 'direct', 'suspend 1', 'resume', 'exit'],
    'catch and finally': [
      'try { await Promise.reject(1); } catch (e) { order.push(e); } finally { order.push(1); }',
      'enter 0',
      'direct',
      'suspend 1',
      'resume',
      'resume',
      'exit',
    ],
    'an uncaught rejection': ['await Promise.reject(1);', 'enter 0', 'direct', 'suspend 1', 'exit'],
    'for await': [
      'for await (const x of xs) order.push(x);',
      'enter 0',
      'iterate 1',
      'resume',
      'resume',
      'resume',
      'exit',
    ],
    'a reaction': ['o.f().then((x) => x);', 'enter 0', 'clear', 'then 1', 'exit'],
    'reactions in a row': [
      'f(1).then(f).finally(f);',
      'enter 0',
      'clear',
      'then 2',
      'finally 1',
      'exit',
    ],
    'a timer': ['setTimeout(f, 0);', 'enter 0', 'at 1', 'exit'],
    'a random number': ['Math.random();', 'enter 0', 'at 1', 'exit'],
    'a call without receiver': [
      'const { random } = Math; random();',
      'enter 0',
      'atNone 1',
      'exit',
    ],
    'an await of a timer': [
      'await new Promise((r) => setTimeout(r));',
      'enter 0',
      'at 2',
      'suspend 1',
      'resume',
      'exit',
    ],
    disposal: [
      'const S: any = Symbol; S.asyncDispose ??= Symbol("d"); { await using x = { [S.asyncDispose]: f } as any; void x; }',
      'enter 0',
      'resume',
      'suspend 1',
      'resume',
      'exit',
    ],
    'a function inside that does not wait': [
      'return [1].map((x) => x);',
      'enter 0',
      'direct',
      'leave 1',
      'exit',
    ],
  };
  for (const [name, [body, ...hooks]] of Object.entries(cases)) {
    it(name, async () => {
      expect(await hooksOf(body)).to.deep.equal(hooks);
    });
  }

  it('async generators', async () => {
    const body = 'const got = yield 1; yield* xs; return f();';
    expect(await hooksOf(body, 'async function*')).to.deep.equal([
      'enter 0',
      'suspend 1',
      'got 1',
      'resume',
      'iterate 2',
      'got 1',
      'got 2',
      'resume',
      'suspend 3',
      'exit',
    ]);
  });

  it('functions that are not async, with a stand-in file', () => {
    const calls: Call[] = [];
    const source = `export const all = [() => p, function () { return p; }, () => ({}), () => { return 1; },
  function* () { return p; }, class { constructor() { return p; } m() { return p; } }];
const p: any = Promise.resolve(1);`;
    const run = (stub: boolean): string => {
      calls.length = 0;
      const { all } = evaluate(compile(source, { stub }), {
        'detsim/runtime': recordingRuntime(calls),
      });
      const [arrow, plain, object, number, generator, Class] = all;
      [arrow, plain, object, number].forEach((f) => f());
      generator().next();
      new Class();
      Class.prototype.m();
      return calls.map(([hook]) => hook).join(' ');
    };
    expect(run(true)).to.equal('tag tag tag');
    expect(run(false)).to.equal('');
  });

  it('takes names that the file does not use', () => {
    const { code } = compile(
      'const $d = 1, $f = 2; export async function f() { const $s = $f; await $s; }',
    );
    expect(code)
      .to.include('$f1.resume(await $f1.suspend($s, $s1 + 1))')
      .and.include('const $d1 = require(');
  });

  it('tells the runtime which files are stand-ins', () => {
    const source = 'export const f = async () => 1;';
    expect(compile(source, { stub: true }).code).to.match(
      /\$d\.file\("src\/sample\.ts", \[.*\], true\);/,
    );
    expect(compile(source).code).to.match(/\$d\.file\("src\/sample\.ts", \[.*\]\);/);
  });
});
