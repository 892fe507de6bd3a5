/**
 * Something a scenario has asked to be called at a virtual time.
 */

import { QueuedEvent } from '../kernel/event-queue.js';
import type { Simulation } from '../kernel/simulation.js';

/** What `after`, `at` and `immediately` give back. */
export interface SimTimer {
  /** When it is due, in virtual nanoseconds. */
  readonly due: number;
  /** Takes it back. Returns false when it has run or was cancelled before. */
  cancel(): boolean;
}

export class CallbackTimer extends QueuedEvent implements SimTimer {
  declare readonly simulation: Simulation;
  declare private readonly callback: () => void;

  constructor(simulation: Simulation, callback: () => void) {
    super();
    this.simulation = simulation;
    this.callback = callback;
  }

  cancel(): boolean {
    return this.simulation.loop.cancel(this);
  }

  run(): void {
    const { callback } = this;
    this.simulation.log?.add('timer', callback.name);
    callback();
  }
}
