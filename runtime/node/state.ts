/**
 * What the virtual builtins keep for one simulation. It goes when the simulation goes.
 */

import type { Scheduler } from '../tasks/scheduler.js';

/** What can be stopped by a number. */
interface Stoppable {
  stop(): void;
}

class BuiltinState {
  /** What weak references and registries of the simulation hold: nothing of it is collected. */
  readonly kept = new Set<unknown>();
  /** What walks undici's list of timeouts; see http/undici.ts. */
  readonly undiciTicks = new Set<() => void>();
  private readonly timersById = new Map<string, Stoppable>();
  private lastId = 0;

  /** Gives a timer a number by which it can be cleared. Counted anew in every simulation. */
  identify(timer: Stoppable): number {
    this.timersById.set(String(++this.lastId), timer);
    return this.lastId;
  }

  timer(id: number | string): Stoppable | undefined {
    return this.timersById.get(String(id));
  }

  forget(id: number): void {
    this.timersById.delete(String(id));
  }
}

const states = new WeakMap<Scheduler, BuiltinState>();

export function stateOf(scheduler: Scheduler): BuiltinState {
  let state = states.get(scheduler);
  if (state === undefined) {
    state = new BuiltinState();
    states.set(scheduler, state);
  }
  return state;
}
