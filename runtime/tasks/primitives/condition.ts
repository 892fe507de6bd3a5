/**
 * A condition that tasks wait for while they hold a lock.
 *
 * A signal goes to the task that has waited longest at that moment; one that begins to wait later
 * cannot take it. After Hoare's and Lampson & Redell's monitors, with the latters' rule: the
 * condition may no longer hold when the task goes on, so wait in a loop.
 */

import { UnlockError } from '../../errors.js';
import type { Mutex } from './mutex.js';
import { noteEffect, OperationSite, perform, Primitive, type Waiter } from './waiter.js';
import { WaitQueue } from './wait-queue.js';

const WAIT = new OperationSite('Condition.wait');
const SIGNAL = new OperationSite('Condition.signal');

export class Condition extends Primitive {
  private readonly waiting = new WaitQueue();

  /** @param mutex the lock that is held where it is waited for */
  constructor(readonly mutex: Mutex) {
    super();
  }

  /**
   * Gives the lock back, waits for a signal, and takes the lock again.
   * @throws {UnlockError} when nobody holds the lock
   */
  wait(): Promise<void> {
    if (!this.mutex.locked) throw new UnlockError('A Condition was waited for');
    return perform(this, WAIT) as Promise<void>;
  }

  /** Lets the one go on that has waited longest. No yield point. */
  signal(): void {
    noteEffect(this, SIGNAL);
    const next = this.waiting.shift();
    if (next !== undefined) this.mutex.lockFor(next.waiter);
  }

  /** Lets all go on. No yield point. */
  broadcast(): void {
    noteEffect(this, SIGNAL);
    for (let p = this.waiting.shift(); p !== undefined; p = this.waiting.shift()) {
      this.mutex.lockFor(p.waiter);
    }
  }

  /** @internal */
  override attempt(waiter: Waiter): boolean {
    this.waiting.add(waiter);
    this.mutex.unlock();
    return false;
  }
}
