/** DS1008: another Promise in the place of the engine's. */

import { onReplacement } from '../check/assignments.js';
import type { Rule } from '../check/rule.js';

export const replacedPromise: Rule = {
  code: 'DS1008',
  name: 'replaced-promise',
  severity: 'error',
  summary: 'Another `Promise` in the place of the engine’s',
  flagged:
    'Assignments to the global `Promise`, to its functions and to its prototype, also by ' +
    '`Object.defineProperty`.',
  why:
    '`await` always uses the engine’s own promises. Code that uses others beside them has reactions ' +
    'in an order that detsim neither knows nor keeps.',
  instead: 'Leave the global alone; wrap the promises that you want to change.',
  example: {
    bad: `class Tracked<T> extends Promise<T> {}

globalThis.Promise = Tracked as PromiseConstructor;
export {};`,
    good: `export function tracked<T>(promise: Promise<T>): Promise<T> {
  return promise.finally(() => console.log('settled'));
}`,
  },
  listeners: (ts) =>
    onReplacement(ts, (node, name, context) => {
      if (name !== 'Promise' && !name.startsWith('Promise.')) return;
      const member = name.split('.').pop()!;
      // A promise of the program's own whose `then` is replaced is another rule's.
      const isInstance = /^Promise\.(?:then|catch|finally)$/.test(name);
      if (isInstance || member === '') return;
      context.report(
        node,
        `Replacing \`${name}\` leaves \`await\` with the engine’s own promises and a mix of the ` +
          'two: wrap the promises in question instead.',
      );
    }),
};
