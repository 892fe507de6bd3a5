/**
 * A fingerprint of the partial order of a run's steps: equal for runs that differ only in the order
 * of steps which have nothing to do with each other.
 *
 * Each step is hashed together with the steps it depends on: those of its task, and those that
 * wrote what it reads, or read or wrote what it writes. A step of which not everything is known
 * depends on all before it, so the last one of these stands for everything up to it; what has come
 * since is added up, whatever its order. The fingerprint stands for the Mazurkiewicz trace of the
 * run.
 */

import type { Subject } from './choice.js';
import type { Effects } from './effects.js';
import { finish, mix } from './hash.js';

/** What happened to a name: its last write, and the sum of the reads since. */
interface Uses {
  write: number;
  reads: number;
}

export class PartialOrder {
  /** The last step that depended on all before it, and the sum of the steps since. */
  private last = 0;
  private since = 0;
  /** Counts the steps that others could not pass: what is known from before one is forgotten. */
  private period = 1;
  private readonly names = new Map<number, Uses>();

  /** The fingerprint so far. */
  get shape(): number {
    return this.since === 0 ? this.last : mix(this.last, this.since);
  }

  clear(): void {
    this.last = this.since = 0;
    this.forget();
  }

  /**
   * A step of which not everything is known.
   * @param label who does what
   */
  addOpen(label: number): void {
    if (this.since !== 0) {
      this.last = mix(this.last, this.since);
      this.since = 0;
      this.forget();
    }
    this.last = mix(this.last, label);
  }

  /** A step of which all effects are known. */
  addClosed(task: Subject, label: number, { reads, writes }: Effects): void {
    const before = task.stepPeriod === this.period ? task.step : 0;
    let hash = mix(mix(label, this.last), before);
    for (let i = 0; i < reads.length; i++) hash = mix(hash, this.usesOf(reads[i]).write);
    for (let i = 0; i < writes.length; i++) {
      const uses = this.usesOf(writes[i]);
      hash = mix(mix(hash, uses.write), uses.reads);
    }
    const sum = finish(hash);
    for (let i = 0; i < reads.length; i++) {
      const uses = this.usesOf(reads[i]);
      uses.reads = (uses.reads + sum) | 0;
    }
    for (let i = 0; i < writes.length; i++) {
      const uses = this.usesOf(writes[i]);
      uses.write = hash;
      uses.reads = 0;
    }
    task.step = hash;
    task.stepPeriod = this.period;
    this.since = (this.since + sum) | 0;
  }

  private usesOf(name: number): Uses {
    let uses = this.names.get(name);
    if (uses === undefined) this.names.set(name, (uses = { write: 0, reads: 0 }));
    return uses;
  }

  private forget(): void {
    this.period++;
    this.names.clear();
  }
}
