/**
 * Something that is to be done once, whoever comes first; those that come meanwhile wait until it
 * is done. After Go's sync.Once.
 */

import { noteEffect, OperationSite, perform, Primitive, type Waiter } from './waiter.js';
import { WaitQueue } from './wait-queue.js';

const DO = new OperationSite('Once.do');

export class Once extends Primitive {
  private readonly waiting = new WaitQueue();
  private state: 'new' | 'running' | 'done' = 'new';

  /**
   * Calls `fn` unless that was done before, and waits until it is done. When `fn` fails, the first
   * caller gets the error; it counts as done.
   */
  async do(fn: () => unknown): Promise<void> {
    const first = await perform(this, DO);
    if (first !== true) return;
    try {
      await fn();
    } finally {
      this.state = 'done';
      noteEffect(this, DO);
      for (let p = this.waiting.shift(); p !== undefined; p = this.waiting.shift()) p.waiter.wake();
    }
  }

  /** @internal */
  override attempt(waiter: Waiter): boolean {
    if (this.state === 'running') {
      this.waiting.add(waiter);
      return false;
    }
    waiter.value = this.state === 'new';
    this.state = this.state === 'new' ? 'running' : 'done';
    return true;
  }
}
