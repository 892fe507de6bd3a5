/**
 * A park: an await or reaction that goes on later than its operand settles.
 *
 * It subscribes to the operand at once and only once, exactly as `await` does, and when the operand
 * has settled it is queued as an event, due after the chosen delay. Subscribing at once matters: an
 * operand that rejects while its awaiter is late is not an unhandled rejection.
 */

import { QueuedEvent } from '../kernel/event-queue.js';
import { pristine, promiseResolve, subscribe } from '../node/pristine.js';
import type { Frame } from './frame.js';
import type { Scheduler } from './scheduler.js';

type Settle = (result: unknown) => void;

/** The functions of the promise that is being made: saves a closure for every park. */
let resolveLast: Settle;
let rejectLast: Settle;
const keepFunctions = (resolve: Settle, reject: Settle): void => {
  resolveLast = resolve;
  rejectLast = reject;
};

export class Park extends QueuedEvent {
  /** Settles like the operand, after the delay. */
  readonly promise: Promise<unknown> = new pristine.Promise<unknown>(keepFunctions);
  private settle: Settle = resolveLast;
  private readonly reject = rejectLast;
  private result: unknown;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly frame: Frame,
    private readonly delay: number,
  ) {
    super();
  }

  /** Waits for the operand. What is neither object nor function has settled already. */
  wait(operand: unknown): void {
    if (operand === null || (typeof operand !== 'object' && typeof operand !== 'function')) {
      this.fulfilled(operand);
      return;
    }
    subscribe(
      promiseResolve(operand),
      (value) => this.fulfilled(value),
      (reason) => {
        this.settle = this.reject;
        this.fulfilled(reason);
      },
    );
  }

  private fulfilled(result: unknown): void {
    this.result = result;
    this.scheduler.sim.schedule(this.delay, this);
  }

  /** The delay is over. */
  run(): void {
    const { scheduler } = this;
    if (scheduler.isAbandoned(this.frame.task)) return;
    scheduler.base = scheduler.current = this.frame;
    scheduler.clearMarks();
    this.settle(this.result);
  }
}
