/** DS1009: something else in the place of a clock, a timer or a source of randomness. */

import { setOf } from '../check/calls.js';
import { onReplacement } from '../check/assignments.js';
import type { Rule } from '../check/rule.js';

const GLOBALS = setOf(
  'Date Date.now Math.random setTimeout setInterval setImmediate clearTimeout clearInterval ' +
    'clearImmediate queueMicrotask performance performance.now process.nextTick process.hrtime ' +
    'process.hrtime.bigint process.uptime crypto.randomUUID crypto.getRandomValues ' +
    'crypto.randomBytes',
);

export const replacedGlobal: Rule = {
  code: 'DS1009',
  name: 'replaced-global',
  severity: 'error',
  summary: 'Something else in the place of a clock, a timer or a source of randomness',
  flagged:
    'Assignments to `Date`, `Date.now`, `Math.random`, `setTimeout` and the other globals that are ' +
    'virtual in a simulation, also by `Object.defineProperty`. A stand-in for `fetch` is none.',
  why:
    'These are virtual in a simulation: what replaces them hides the virtual clock, timers and ' +
    'randomness from everything that runs after it, and what it calls itself may be real.',
  instead:
    'Leave it to the simulation, where time is virtual and randomness drawn from the seed. Elsewhere ' +
    'use fake timers (`sinon`), which put everything back.',
  example: {
    bad: `Date.now = () => 0;
export {};`,
    good: `export function isExpired(until: number, now = Date.now()): boolean {
  return now > until;
}`,
  },
  listeners: (ts) =>
    onReplacement(ts, (node, name, context) => {
      if (!GLOBALS.has(name)) return;
      context.report(
        node,
        `Replacing \`${name}\` hides the virtual one of the simulation: leave it alone, or use fake ` +
          'timers, which put it back.',
      );
    }),
};
