/** Source maps and stack traces lead to the original line and column of each construct. */

import { expect } from 'chai';
import { SourceMapConsumer } from 'source-map';
import type { CompileResult } from '../../transformer/compile.js';
import { compile, evaluate } from './compiled.js';

/** Position of the n-th occurrence of `word` in `text`: line from 1, column from 0. */
function positionOf(text: string, word: string, from = 0): { line: number; column: number } {
  const index = text.indexOf(word, from);
  expect(index, `${word} is in the text`).to.be.at.least(0);
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: before.at(-1)!.length };
}

async function consumerOf({ map }: CompileResult): Promise<SourceMapConsumer> {
  return new SourceMapConsumer(JSON.parse(map));
}

/** The frames of a stack that are in compiled code, as `function line:column` of the original. */
async function mappedStack(error: Error, result: CompileResult): Promise<string[]> {
  const consumer = await consumerOf(result);
  const frames = [
    ...error.stack!.matchAll(/at (?:(.*?) \()?\/project\/src\/sample\.js:(\d+):(\d+)/g),
  ];
  const mapped = frames.map(([, name = '', line, column]) => {
    const at = consumer.originalPositionFor({ line: Number(line), column: Number(column) - 1 });
    return `${name.replace('Object.', '')} ${at.line}:${at.column! + 1}`.trim();
  });
  consumer.destroy();
  return mapped;
}

describe('transformer: source maps', () => {
  it('have the original as their only source, without its text', () => {
    const map = JSON.parse(compile('export async function f() { await 1; }').map);
    expect(map.sources).to.deep.equal(['/project/src/sample.ts']);
    expect(map).to.not.have.any.keys('sourcesContent', 'sourceRoot', 'file');
  });

  // Each word stands once in the source, and must lead back from where it stands in the output.
  const constructs: Record<string, [source: string, ...words: string[]]> = {
    await: ['async function f() {\n  const x = 1 +\n    await operand(x);\n}', 'await', 'operand'],
    'await of a call': [
      'async function f() {\n  await object\n    .method(argument);\n}',
      'method',
      'argument',
    ],
    'await in a default': [
      'async function f() {\n  const { a = await fallback() } = {};\n}',
      'await',
      'fallback',
    ],
    throw: ['async function f() {\n  await 1;\n\n  throw new Failure();\n}', 'throw', 'Failure'],
    return: ['async function f() {\n  await 1;\n  return value();\n}', 'return', 'value'],
    arrow: ['const f = async () =>\n  value(argument);', 'value', 'argument'],
    'for await': [
      'async function f() {\n  for await (const item of\n    source) use(item);\n}',
      'for await',
      'source',
      'use',
    ],
    yield: ['async function* f() {\n  yield\n  yield* other();\n}', 'other'],
    reaction: ['promise\n  .then(first)\n  .catch(second);', 'promise', 'first', 'second'],
    timer: ['\n  setTimeout(callback, 5);', 'setTimeout', 'callback'],
    random: ['\n  Math.random();', 'random', 'Math'],
    'await using': [
      'async function f() {\n  await using x = open();\n  body(x);\n}',
      'open',
      'body',
    ],
    catch: [
      'async function f() {\n  try { await 1; } catch (e) {\n    handle(e);\n  }\n}',
      'handle',
    ],
    dynamic: ['async function f() {\n  await import("x");\n}', 'await', '"x"'],
    decorator: [
      'async function f() {\n  @dec(await argument()) class A {}\n  after();\n}',
      'argument',
      'after',
    ],
  };
  for (const [name, [source, ...words]] of Object.entries(constructs)) {
    it(`map ${name}`, async () => {
      const result = compile(source);
      const start = result.code.indexOf(';\n', result.code.indexOf('$d.file(')) + 1;
      const consumer = await consumerOf(result);
      for (const word of words) {
        const generated = positionOf(result.code, word, start);
        const { line, column } = consumer.originalPositionFor(generated);
        expect({ line, column }, word).to.deep.equal(positionOf(source, word));
      }
      consumer.destroy();
    });
  }

  it('give stack traces of the original over awaits', async () => {
    const source = `export async function outer(): Promise<void> {
  const first = 1;
  await
    inner(first);
}
async function inner(x: number): Promise<void> {
  await null;
  for await (const y of [x]) {
    await deepest(y as any);
  }
}
async function deepest(o: any): Promise<void> {
  try {
    await Promise.resolve();
    o.missing();
  } finally {
    await null;
  }
}`;
    const result = compile(source);
    const error = await evaluate(result)
      .outer()
      .catch((e: unknown) => e);
    expect(error.message).to.equal('o.missing is not a function');
    const stack = await mappedStack(error, result);
    expect(stack).to.deep.equal(['deepest 15:7', 'async inner 9:5', 'async outer 3:3']);
  });

  it('give stack traces of throws in each kind of function', async () => {
    const source = `class C {
  async method() { await null; throw new Error('method'); }
  arrow = async () => {
    await null; throw new Error('arrow'); };
  async *generator() { yield 1; throw new Error('generator'); }
  reaction() { return Promise.resolve().then(() => { throw new Error('reaction'); }); }
  timer() { return new Promise((_, no) => setTimeout(() => no(new Error('timer')), 0)); }
  async rejected() { return await Promise.resolve().then(() => Promise.reject(new Error('rejected'))); }
}
const c = new C();
async function drain() { for await (const x of c.generator()) void x; }
export const all = [() => c.method(), () => c.arrow(), drain, () => c.reaction(), () => c.timer(), () => c.rejected()];`;
    const result = compile(source);
    const places: string[] = [];
    for (const run of evaluate(result).all) {
      const error = await run().catch((e: unknown) => e);
      places.push(`${error.message} ${(await mappedStack(error, result))[0].split(' ').at(-1)}`);
    }
    expect(places).to.deep.equal(
      ['method', 'arrow', 'generator', 'reaction', 'timer', 'rejected'].map((word) => {
        const { line, column } = positionOf(source, `new Error('${word}')`);
        return `${word} ${line}:${column + 1}`;
      }),
    );
  });
});
