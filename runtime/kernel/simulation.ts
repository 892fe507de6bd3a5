/**
 * What the simulated world (network, disks) needs of the simulation it belongs to.
 */

import type { Subject } from './choice.js';
import type { EventLoop } from './event-loop.js';

/** Something that happened, as a line of a trace. */
export interface EventLog {
  /**
   * @param type what kind of thing, in one word: `send`, `crash`
   * @param text the rest of the line
   */
  add(type: string, text: string): void;
}

export interface Simulation {
  readonly loop: EventLoop;
  /** The task that choices of the world belong to. */
  readonly root: Subject;
  /** Only there while a trace is recorded. */
  readonly log: EventLog | undefined;
  /** Registers what takes all faults away that last: cut links, clogs. */
  onHeal(heal: () => void): void;
}
