/**
 * Waits for a number of tasks: each is added before it starts and says when it is done. After Go's
 * sync.WaitGroup.
 */

import { noteEffect, OperationSite, perform, Primitive, type Waiter } from './waiter.js';
import { WaitQueue } from './wait-queue.js';

const WAIT = new OperationSite('WaitGroup.wait');
const ADD = new OperationSite('WaitGroup.add');

export class WaitGroup extends Primitive {
  private readonly waiting = new WaitQueue();
  private count = 0;

  /**
   * Counts so many more to wait for. No yield point.
   * @throws {RangeError} when fewer than none would be left
   */
  add(tasks = 1): void {
    const count = this.count + tasks;
    if (!Number.isInteger(count) || count < 0) {
      throw new RangeError(
        `A WaitGroup that waits for ${this.count} cannot wait for ${count}. ` +
          'Call done once for each that was added.',
      );
    }
    this.count = count;
    noteEffect(this, ADD);
    if (count > 0) return;
    for (let p = this.waiting.shift(); p !== undefined; p = this.waiting.shift()) p.waiter.wake();
  }

  /** One of them is done. */
  done(): void {
    this.add(-1);
  }

  /** Waits until all are done. */
  wait(): Promise<void> {
    return perform(this, WAIT) as Promise<void>;
  }

  /** @internal */
  override attempt(waiter: Waiter): boolean {
    if (this.count === 0) return true;
    this.waiting.add(waiter);
    return false;
  }
}
