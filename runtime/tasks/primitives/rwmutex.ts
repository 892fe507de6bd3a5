/**
 * A lock that many may hold to read, or one to write.
 *
 * Who waits is served first come first served, so that a writer that waits holds up the readers
 * that come after it. A task that takes the read lock again while it holds it can therefore block
 * for ever, as with Go's sync.RWMutex.
 */

import { UnlockError } from '../../errors.js';
import { noteEffect, OperationSite, perform, Primitive, type Waiter } from './waiter.js';
import { WaitQueue } from './wait-queue.js';

const LOCK = new OperationSite('RWMutex.lock');
const RLOCK = new OperationSite('RWMutex.rlock');
const UNLOCK = new OperationSite('RWMutex.unlock');
const RUNLOCK = new OperationSite('RWMutex.runlock');

export class RWMutex extends Primitive {
  private readonly waiting = new WaitQueue();
  private readers = 0;
  private writing = false;

  /** Takes it to write. */
  lock(): Promise<void> {
    return perform(this, LOCK) as Promise<void>;
  }

  /** Takes it to read. */
  rlock(): Promise<void> {
    return perform(this, RLOCK) as Promise<void>;
  }

  /**
   * Gives back what was taken to write. No yield point.
   * @throws {UnlockError} when nobody holds it to write
   */
  unlock(): void {
    if (!this.writing) throw new UnlockError('A RWMutex was unlocked');
    noteEffect(this, UNLOCK);
    this.writing = false;
    this.admit();
  }

  /**
   * Gives back what was taken to read. No yield point.
   * @throws {UnlockError} when nobody holds it to read
   */
  runlock(): void {
    if (this.readers === 0) throw new UnlockError('A RWMutex was unlocked by a reader');
    noteEffect(this, RUNLOCK);
    this.readers--;
    this.admit();
  }

  /** @internal */
  override attempt(waiter: Waiter): boolean {
    if (this.waiting.empty && this.admits(waiter)) {
      this.enter(waiter);
      return true;
    }
    this.waiting.add(waiter);
    return false;
  }

  /** Lets in who waits, in the order of their coming. */
  private admit(): void {
    for (let p = this.waiting.peek(); p !== undefined; p = this.waiting.peek()) {
      if (!this.admits(p.waiter)) return;
      this.waiting.remove(p);
      this.enter(p.waiter);
      p.waiter.wake();
    }
  }

  private admits({ operation }: Waiter): boolean {
    return !this.writing && (operation === RLOCK || this.readers === 0);
  }

  private enter({ operation }: Waiter): void {
    if (operation === RLOCK) this.readers++;
    else this.writing = true;
  }
}
