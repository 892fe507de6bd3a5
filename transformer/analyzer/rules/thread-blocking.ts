/** DS1001: calls that stop the thread, and with it the simulation. */

import type ts from 'typescript';
import { reportCalls } from '../check/calls.js';
import type { Fix, Rule, RuleContext } from '../check/rule.js';
import { mayAwait } from '../check/syntax.js';

const WAITS = 'Atomics.wait';
/** Packages that make an asynchronous call wait synchronously. */
const PACKAGES = /^(?:deasync|synckit|sync-rpc|sync-request|sync-fetch|make-synchronous)(?:\.|$)/;

export const threadBlocking: Rule = {
  code: 'DS1001',
  name: 'thread-blocking',
  severity: 'error',
  summary: '`Atomics.wait` and other calls that block the thread',
  flagged:
    'Calls of `Atomics.wait`, and of packages that wait synchronously for something asynchronous ' +
    '(`deasync`, `synckit`, `sync-rpc`, `sync-request`, `sync-fetch`, `make-synchronous`).',
  why:
    'All tasks of a simulation run in one thread. While it is blocked no other task can run, so ' +
    'what it waits for never happens, or happens in another thread at a moment that no seed decides.',
  instead:
    'Await: `await Atomics.waitAsync(array, index, value).value`, or the asynchronous call itself.',
  example: {
    bad: `export async function locked(lock: Int32Array): Promise<void> {
  Atomics.wait(lock, 0, 1);
}`,
    good: `export async function locked(lock: { released: Promise<void> }): Promise<void> {
  await lock.released;
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) => {
        if (name === WAITS) {
          return (
            '`Atomics.wait` blocks the only thread that could wake it in a simulation: ' +
            'await `Atomics.waitAsync` instead.'
          );
        }
        return PACKAGES.test(name.replace(/^new /, ''))
          ? `\`${name}\` blocks the thread until something asynchronous is done: ` +
              'await the asynchronous call instead.'
          : undefined;
      },
      fixes: waitAsync,
    }),
};

/** `Atomics.wait(…)` becomes `(await Atomics.waitAsync(…).value)` where that is allowed. */
function waitAsync(call: ts.CallExpression, { ts, names, file }: RuleContext): Fix[] {
  const callee = call.expression;
  if (names.of(callee) !== WAITS || !ts.isPropertyAccessExpression(callee)) return [];
  if (!mayAwait(ts, call)) return [];
  const bare = ts.isExpressionStatement(call.parent);
  const start = call.getStart(file);
  return [
    {
      title: 'Await `Atomics.waitAsync`',
      safe: true,
      edits: [
        { start, end: start, text: bare ? 'await ' : '(await ' },
        { start: callee.name.getStart(file), end: callee.name.end, text: 'waitAsync' },
        { start: call.end, end: call.end, text: bare ? '.value' : '.value)' },
      ],
    },
  ];
}
