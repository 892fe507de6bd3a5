/** DS1105: what depends on the garbage collector. */

import { reportCalls } from '../check/calls.js';
import type { Rule } from '../check/rule.js';

export const weakReference: Rule = {
  code: 'DS1105',
  name: 'weak-reference',
  severity: 'warning',
  summary: '`WeakRef` and `FinalizationRegistry`',
  flagged: '`new WeakRef` and `new FinalizationRegistry`. `WeakMap` and `WeakSet` are fine.',
  why:
    'When the garbage collector runs is no decision of the program. In a simulation nothing is ever ' +
    'collected: references stay alive, and callbacks of a registry are not called.',
  instead: 'Release what is held explicitly, with a method or with `using`.',
  example: {
    bad: `export const registry = new FinalizationRegistry((name: string) => console.log(name));`,
    good: `export class Handle implements Disposable {
  [Symbol.dispose](): void {
    console.log('released');
  }
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) =>
        name === 'new WeakRef' || name === 'new FinalizationRegistry'
          ? `\`${name}\` depends on the garbage collector, and nothing is collected in a ` +
            'simulation: release what is held explicitly.'
          : undefined,
    }),
};
