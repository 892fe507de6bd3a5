/**
 * The trace of a scenario: everything that happened in its simulated world, in order.
 */

import type { EventLoop } from '../kernel/event-loop.js';
import type { EventLog } from '../kernel/simulation.js';

/** Something that happened in a simulation. */
export interface SimEvent {
  /** Virtual nanoseconds since the start. */
  readonly at: number;
  /** How many events had run by then, with the one in which it happened. */
  readonly step: number;
  /**
   * What kind of thing, in one word: `timer`, `send`, `deliver`, `drop`, `lost`, `write`, `crash`,
   * `note` and the like.
   */
  readonly type: string;
  /** Who and what. */
  readonly text: string;
}

export class SimLog implements EventLog {
  readonly events: SimEvent[] = [];

  constructor(private readonly loop: EventLoop) {}

  add(type: string, text: string): void {
    const { now, steps } = this.loop;
    this.events.push({ at: now, step: steps, type, text });
  }
}
