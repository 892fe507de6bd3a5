/**
 * PCT, probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS
 * 2010): each task has a random priority and the highest goes on; at d - 1 random steps the task
 * that would go on falls below all others. A bug that needs d ordering constraints is found with
 * probability 1 / (n k^(d-1)) or more, for n tasks and k steps.
 *
 * The clock is one of the tasks. The depth d is drawn for the trial; k is what the run without
 * deviations has.
 */

import type { Held } from '../../kernel/choice.js';
import { finish, fraction, mix } from '../../kernel/hash.js';
import type { ScopeProfile } from '../profile.js';
import { CLOCK, Holding } from './holding.js';

const DEEPEST = 4;
const CLOCK_TASK = 0xc10c;

export class Pct extends Holding {
  /** Of tasks that have fallen, below 0. */
  private readonly lowered = new Map<number, number>();
  private readonly changes = new Set<number>();
  private steps = 0;

  /** @param steps how many steps are expected: k in the paper */
  constructor(seed: number, profile: ScopeProfile, steps: number, depth = depthOf(seed)) {
    super(seed, profile);
    for (let i = 1; i < depth; i++) {
      this.changes.add(1 + Math.floor(fraction(mix(mix(seed, 0x9c7), i)) * Math.max(1, steps)));
    }
  }

  protected next(ready: readonly Held[], clock: boolean): Held | undefined {
    const first = this.highest(ready, clock);
    if (!this.changes.has(++this.steps)) return first;
    this.lowered.set(taskOf(first), -1 - this.lowered.size);
    return this.highest(ready, clock);
  }

  /** Of two points of one task the one that was ready first. */
  private highest(ready: readonly Held[], clock: boolean): Held | undefined {
    let best: Held | undefined;
    let highest = clock ? this.priority(CLOCK_TASK) : -Infinity;
    for (const held of ready) {
      const priority = this.priority(held.task.hash);
      if (priority > highest) {
        highest = priority;
        best = held;
      }
    }
    return best;
  }

  private priority(task: number): number {
    return this.lowered.get(task) ?? fraction(mix(mix(this.seed, 0x9c1), task));
  }
}

function taskOf(held: Held | undefined): number {
  return held === CLOCK ? CLOCK_TASK : held.task.hash;
}

function depthOf(seed: number): number {
  return 1 + ((finish(mix(seed, 0x9c0)) >>> 0) % DEEPEST);
}
