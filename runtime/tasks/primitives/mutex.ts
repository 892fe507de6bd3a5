/**
 * A lock: one task holds it at a time, and those that wait get it first come first served.
 */

import { UnlockError } from '../../errors.js';
import { noteEffect, OperationSite, perform, Primitive, type Waiter } from './waiter.js';
import { WaitQueue } from './wait-queue.js';

const LOCK = new OperationSite('Mutex.lock');
const UNLOCK = new OperationSite('Mutex.unlock');

export class Mutex extends Primitive {
  private readonly waiting = new WaitQueue();
  private held = false;

  get locked(): boolean {
    return this.held;
  }

  /** Waits until nobody holds it, and takes it. A task that holds it already waits for ever. */
  lock(): Promise<void> {
    return perform(this, LOCK) as Promise<void>;
  }

  /** Takes it if nobody holds it, and returns whether it has. No yield point. */
  tryLock(): boolean {
    noteEffect(this, LOCK);
    if (this.held) return false;
    return (this.held = true);
  }

  /**
   * Gives it to who has waited longest. No yield point.
   * @throws {UnlockError} when nobody holds it
   */
  unlock(): void {
    if (!this.held) throw new UnlockError('A Mutex was unlocked');
    noteEffect(this, UNLOCK);
    const next = this.waiting.shift();
    if (next === undefined) this.held = false;
    else next.waiter.wake();
  }

  /** @internal */
  override attempt(waiter: Waiter): boolean {
    if (!this.held) return (this.held = true);
    this.waiting.add(waiter);
    return false;
  }

  /** @internal A wait for a condition goes on with taking the lock. */
  lockFor(waiter: Waiter): void {
    waiter.turnInto(this, LOCK);
  }
}
