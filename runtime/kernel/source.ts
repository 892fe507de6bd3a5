/**
 * A part of the simulated world that makes choices of its own: a link, a disk, a named stream of
 * random numbers.
 *
 * It stands where a source position stands for the choices of a program, so that a fault is named,
 * recorded and taken out of a schedule like any other deviation: (task, source, occurrence).
 */

import type { Site, Subject } from './choice.js';
import { hashString, mix } from './hash.js';

export class Source implements Site {
  readonly hash: number;
  /** Hash of task and source; with the kind of a choice it is the key. */
  readonly base: number;

  /**
   * @param task whom it belongs to: the root of a simulation
   * @param name tells it from every other source of the task
   */
  constructor(
    readonly task: Subject,
    readonly name: string,
  ) {
    this.hash = hashString(name);
    this.base = mix(task.hash, this.hash);
  }

  position(): string {
    return this.name;
  }
}
