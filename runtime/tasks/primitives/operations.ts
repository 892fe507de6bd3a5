/**
 * What the task primitives keep for one simulation: who is blocked, which tasks have not ended, and
 * a fingerprint of what happened.
 */

import { finish, mix } from '../../kernel/hash.js';
import type { Frame } from '../frame.js';
import type { Task } from '../task.js';
import type { Primitive, Waiter } from './waiter.js';

export class Operations {
  /** A ring of the waiters that are blocked; this one stands for none. */
  private first: Waiter | undefined = undefined;
  private last: Waiter | undefined = undefined;
  /** Tasks that `spawn` started and that have not ended, in the order of their start. */
  readonly running = new Set<Frame>();
  /** How many of those, and of the waiters, a run cannot end without. */
  foreground = 0;
  /**
   * The sum of a hash of every operation together with all that happened before it: at its
   * primitive and in its task. Runs that differ only in the order of operations which have nothing
   * to do with each other have the same.
   */
  shape = 0;
  /** How many primitives this simulation has seen; each goes by its number. */
  primitives = 0;

  block(waiter: Waiter): void {
    waiter.blocked = true;
    waiter.previousBlocked = this.last;
    waiter.nextBlocked = undefined;
    if (this.last === undefined) this.first = waiter;
    else this.last.nextBlocked = waiter;
    this.last = waiter;
    if (!waiter.background) this.foreground++;
  }

  unblock(waiter: Waiter): void {
    const { previousBlocked: previous, nextBlocked: next } = waiter;
    waiter.blocked = false;
    if (previous === undefined) this.first = next;
    else previous.nextBlocked = next;
    if (next === undefined) this.last = previous;
    else next.previousBlocked = previous;
    if (!waiter.background) this.foreground--;
  }

  /** The waiters that are blocked, longest first. */
  *blocked(): IterableIterator<Waiter> {
    for (let w = this.first; w !== undefined; w = w.nextBlocked) yield w;
  }

  started(frame: Frame): void {
    this.running.add(frame);
    if (!frame.task.background) this.foreground++;
  }

  ended(frame: Frame): void {
    if (this.running.delete(frame) && !frame.task.background) this.foreground--;
  }

  /** An operation of `task` on `target` has its effect: it comes after what either has seen. */
  happened(task: Task, target: Primitive, operation: number): void {
    const before = target.pastOwner === this ? target.past : 0;
    const hash = mix(mix(task.past ^ task.hash, before), operation);
    task.past = target.past = hash;
    target.pastOwner = this;
    this.shape = (this.shape + finish(hash)) | 0;
  }
}
