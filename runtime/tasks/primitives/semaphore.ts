/**
 * A number of permits that tasks take and give back. Who waits is served first come first served: a
 * large request is not overtaken by small ones.
 */

import { noteEffect, OperationSite, perform, Primitive, type Waiter } from './waiter.js';
import { WaitQueue } from './wait-queue.js';

const ACQUIRE = new OperationSite('Semaphore.acquire');
const RELEASE = new OperationSite('Semaphore.release');

export class Semaphore extends Primitive {
  private readonly waiting = new WaitQueue();
  private free: number;

  /**
   * @param permits how many there are
   * @throws {RangeError} when it is not a whole number of at least 0
   */
  constructor(permits: number) {
    super();
    this.free = whole(permits, 0);
  }

  /** How many permits can be taken. */
  get available(): number {
    return this.free;
  }

  /**
   * Waits for so many permits, and takes them.
   * @throws {RangeError} when `permits` is not a whole number of at least 1
   */
  acquire(permits = 1): Promise<void> {
    return perform(this, ACQUIRE, whole(permits, 1)) as Promise<void>;
  }

  /** Takes so many permits if it need not wait, and returns whether it has. No yield point. */
  tryAcquire(permits = 1): boolean {
    noteEffect(this, ACQUIRE);
    if (!this.waiting.empty || this.free < whole(permits, 1)) return false;
    this.free -= permits;
    return true;
  }

  /** Gives so many permits back, or adds them. No yield point. */
  release(permits = 1): void {
    this.free += whole(permits, 1);
    noteEffect(this, RELEASE);
    for (let p = this.waiting.peek(); p !== undefined; p = this.waiting.peek()) {
      if (!this.take(p.waiter)) return;
      this.waiting.remove(p);
      p.waiter.wake();
    }
  }

  /** @internal */
  override attempt(waiter: Waiter): boolean {
    if (this.waiting.empty && this.take(waiter)) return true;
    this.waiting.add(waiter);
    return false;
  }

  private take(waiter: Waiter): boolean {
    const permits = waiter.value as number;
    if (this.free < permits) return false;
    this.free -= permits;
    waiter.value = undefined;
    return true;
  }
}

function whole(permits: number, least: number): number {
  if (Number.isInteger(permits) && permits >= least) return permits;
  throw new RangeError(
    `A semaphore counts whole permits: give a number of at least ${least}, not ${permits}.`,
  );
}
