/** DS1005: messages to other threads. */

import { reportCalls } from '../check/calls.js';
import type { Rule } from '../check/rule.js';

const CALLS =
  /^(?:worker_threads\.)?(?:MessagePort|BroadcastChannel|Worker)\.postMessage$|^worker_threads\.receiveMessageOnPort$/;

export const messagePort: Rule = {
  code: 'DS1005',
  name: 'message-port',
  severity: 'error',
  summary: 'A message over a port or a broadcast channel',
  flagged:
    'Calls of `postMessage` of a `MessagePort`, a `BroadcastChannel` or a `Worker`, and of ' +
    '`receiveMessageOnPort`.',
  why:
    'Ports deliver through the real event loop, which does not turn while a simulation runs, and from ' +
    'other threads at moments that no seed decides.',
  instead:
    'Within one thread use an `EventEmitter` or a queue; between threads put the port behind an ' +
    'interface, and give the test a stand-in.',
  example: {
    bad: `const { port1, port2 } = new MessageChannel();

export function wake(): void {
  port1.postMessage('wake');
}
export { port2 };`,
    good: `import { EventEmitter } from 'node:events';

export const signals = new EventEmitter();

export function wake(): void {
  signals.emit('wake');
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) =>
        CALLS.test(name)
          ? `\`${name}\` goes through the real event loop, which stands still in a simulation: ` +
            'use an emitter or a queue, or put the port behind an interface.'
          : undefined,
    }),
};
