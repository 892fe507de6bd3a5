/**
 * A park: an await or reaction that goes on later than its operand settles.
 *
 * It subscribes to the operand at once and only once, exactly as `await` does, and when the operand
 * has settled it is queued as an event, due after the chosen delay. Subscribing at once matters: an
 * operand that rejects while its awaiter is late is not an unhandled rejection.
 *
 * A park whose delay is over is used again for the next one: what is parked next is as a rule the
 * continuation that it has just let go.
 */

import { QueuedEvent } from '../kernel/event-queue.js';
import { pristine, subscribe } from '../node/pristine.js';
import type { Frame } from './frame.js';
import type { Scheduler } from './scheduler.js';
import { unknownSite, type SourceSite } from './sites.js';

const { Promise: PristinePromise } = pristine;

type Settle = (result: unknown) => void;

/** The functions of the promise that is being made: saves a closure for every park. */
let resolveLast: Settle;
let rejectLast: Settle;
const keepFunctions = (resolve: Settle, reject: Settle): void => {
  resolveLast = resolve;
  rejectLast = reject;
};

export class Park extends QueuedEvent {
  /** Which frame goes on. */
  private frame: Frame;
  /** Nanoseconds; negative when a strategy lets it go, and then the number of the decision. */
  private delay = 0;
  private site: SourceSite = unknownSite;
  /** How many steps the loop had taken when the operand settled. */
  private settledAt = 0;
  private settle: Settle | undefined = undefined;
  private reject: Settle | undefined = undefined;
  private result: unknown = undefined;
  private readonly release = (): number => {
    this.scheduler.loop.schedule(1, this);
    return this.due;
  };
  private readonly fulfilled: (value: unknown) => void;
  private readonly rejected: (reason: unknown) => void;

  constructor(private readonly scheduler: Scheduler) {
    super();
    this.frame = scheduler.base;
    this.fulfilled = (value) => this.settled(value);
    this.rejected = (reason) => {
      this.settle = this.reject;
      this.settled(reason);
    };
  }

  /** Makes a promise for `frame` that settles like an operand, after the delay. */
  begin(frame: Frame, site: SourceSite, delay: number): Promise<unknown> {
    const promise = new PristinePromise<unknown>(keepFunctions);
    this.settle = resolveLast;
    this.reject = rejectLast;
    this.frame = frame;
    this.site = site;
    this.delay = delay;
    return promise;
  }

  /** Waits for the operand. */
  wait(operand: Promise<unknown>): void {
    subscribe(operand, this.fulfilled, this.rejected);
  }

  /** The operand has settled. */
  settled(result: unknown): void {
    this.result = result;
    const { loop } = this.scheduler;
    this.settledAt = loop.steps;
    if (this.delay < 0) loop.hold(this.delay, this.release);
    else loop.schedule(this.delay, this);
  }

  /** The delay is over. */
  run(): void {
    const { scheduler, frame, settle, result } = this;
    if (scheduler.isAbandoned(frame.task)) return;
    const pause = scheduler.pauseOf(frame.task);
    if (pause > 0) return scheduler.loop.schedule(pause, this);
    // Its own event is one step.
    if (scheduler.loop.steps - this.settledAt > 1) scheduler.noteOvertaken(this.site);
    this.result = this.settle = this.reject = undefined;
    scheduler.reuse(this);
    scheduler.resumeAlone(frame);
    settle!(result);
  }
}
