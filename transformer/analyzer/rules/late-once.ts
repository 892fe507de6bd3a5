/** DS1114: `events.once` after an await, when the event may be over. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { awaitBefore } from '../check/await-between.js';
import { on, type Rule } from '../check/rule.js';

export const lateOnce: Rule = {
  code: 'DS1114',
  name: 'late-once',
  severity: 'warning',
  summary: '`events.once` after an await, when the event may be over',
  flagged:
    '`once` of `node:events` for an emitter that was made, or last used, before an `await` in the ' +
    'same function.',
  why:
    'An event is not kept: if the emitter has emitted it while the task waited, `once` waits for the ' +
    'next one, which may never come. Which of the two is first is open.',
  instead: 'Call `once` first and await its promise later.',
  example: {
    bad: `import { once, type EventEmitter } from 'node:events';

export async function start(server: EventEmitter, load: () => Promise<void>): Promise<void> {
  server.emit('start');
  await load();
  await once(server, 'ready');
}`,
    good: `import { once, type EventEmitter } from 'node:events';

export async function start(server: EventEmitter, load: () => Promise<void>): Promise<void> {
  const ready = once(server, 'ready');
  server.emit('start');
  await load();
  await ready;
}`,
  },
  listeners: (ts) => [
    on<ts.CallExpression>(ts.SyntaxKind.CallExpression, (node, context) => {
      if (node.arguments.length < 2 || context.names.of(node.expression) !== 'events.once') return;
      const emitter = skipOuter(ts, node.arguments[0]);
      if (!ts.isIdentifier(emitter) || awaitBefore(emitter, context) === undefined) return;
      context.report(
        node,
        `\`${emitter.text}\` may have emitted this event during the \`await\` before: ` +
          'call `once` before it, and await its promise here.',
      );
    }),
  ],
};
