/**
 * `Math.random`: a value draw, keyed by task, site and occurrence.
 */

import { patch } from './facade.js';
import { followed } from './simulated.js';

const { apply } = Reflect;

export function installRandom(): void {
  patch(Math, 'random', 'Math.random', (real: () => number) => {
    return function (this: unknown): number {
      const scheduler = followed();
      if (scheduler === undefined) return apply(real, this, []);
      return scheduler.loop.random(scheduler.current.task, scheduler.takeSite());
    };
  });
}
