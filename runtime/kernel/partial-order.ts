/**
 * A fingerprint of the partial order of a run's steps: equal for runs that differ only in the order
 * of steps which have nothing to do with each other.
 *
 * Each step is hashed together with the steps it depends on: those of its task, and those that
 * wrote what it reads, or read or wrote what it writes. A step of which not everything is known
 * depends on all before it. The fingerprint is the sum over all steps, whatever their order: it
 * stands for the Mazurkiewicz trace of the run.
 */

import type { Effects } from './effects.js';
import { finish, mix } from './hash.js';

export class PartialOrder {
  /** The fingerprint so far. */
  shape = 0;
  /** The last step that depended on all before it, and the sum of the steps since. */
  private last = 0;
  private since = 0;
  /** The last step of each task, the last write of each name, and the reads since that. */
  private readonly tasks = new Map<number, number>();
  private readonly writes = new Map<number, number>();
  private readonly reads = new Map<number, number>();

  /**
   * @param label of the step: who does what
   * @param effects undefined when not everything is known of them
   */
  add(task: number, label: number, effects: Effects | undefined): void {
    const hash =
      effects === undefined ? this.afterAll(label) : this.afterWhatItNeeds(task, label, effects);
    this.shape = (this.shape + finish(hash)) | 0;
  }

  clear(): void {
    this.shape = this.last = this.since = 0;
    this.forget();
  }

  private afterAll(label: number): number {
    const hash = mix(mix(label, this.last), this.since);
    this.last = hash;
    if (this.since !== 0) this.forget();
    this.since = 0;
    return hash;
  }

  private afterWhatItNeeds(task: number, label: number, effects: Effects): number {
    const { tasks, reads, writes } = this;
    let hash = mix(mix(label, this.last), tasks.get(task) ?? 0);
    for (const name of effects.reads) hash = mix(hash, writes.get(name) ?? 0);
    for (const name of effects.writes) {
      hash = mix(mix(hash, writes.get(name) ?? 0), reads.get(name) ?? 0);
    }
    tasks.set(task, hash);
    for (const name of effects.reads) reads.set(name, ((reads.get(name) ?? 0) + finish(hash)) | 0);
    for (const name of effects.writes) {
      writes.set(name, hash);
      reads.delete(name);
    }
    this.since = (this.since + finish(hash)) | 0;
    return hash;
  }

  private forget(): void {
    this.tasks.clear();
    this.reads.clear();
    this.writes.clear();
  }
}
