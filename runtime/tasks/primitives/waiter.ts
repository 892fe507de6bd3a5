/**
 * One operation of a task on a primitive, from its call until the task goes on.
 *
 * In a simulation every operation is a yield point: it takes effect after a delay that is a choice,
 * and a task that was blocked goes on after another one. A delay of 0 takes no event, unless the
 * task was blocked: then it goes on in an event of its own, so that the scheduler knows which task
 * runs. Outside a simulation nothing is delayed.
 *
 * Nothing is allocated for an operation but the promise it gives: waiters are used again, and tell
 * the primitive what is asked by fields instead of closures. After the event queue's intrusive
 * entries; Go's `sudog` (runtime/chan.go) is the same idea.
 */

import { Kind } from '../../kernel/choice.js';
import { QueuedEvent } from '../../kernel/event-queue.js';
import type { Effects } from '../../kernel/effects.js';
import { ANY } from '../../kernel/rung.js';
import { derive, pristine, promiseResolve } from '../../node/pristine.js';
import type { Frame } from '../frame.js';
import { active, type Scheduler } from '../scheduler.js';
import { SourceSite } from '../sites.js';
import type { Operations } from './operations.js';
import type { WaitQueue } from './wait-queue.js';

const { Promise: PristinePromise } = pristine;
const settled = promiseResolve(undefined);

/** What an operation is called: its place in choices, traces and reports. */
export class OperationSite extends SourceSite {
  constructor(name: string) {
    super(name, 'call', 0, 0, '', `${name}()`, false);
  }

  override position(): string {
    return this.file;
  }
}

/** What tasks wait at. */
export abstract class Primitive {
  /** See {@link Operations.happened}. */
  past = 0;
  pastOwner: Operations | undefined = undefined;
  private touched: Effects | undefined = undefined;
  private touchedIn: Operations | undefined = undefined;

  /**
   * Lets an operation take effect, and sets its `value` or `failed`. Returns false when it cannot
   * yet: then the waiter has been put in a line.
   */
  abstract attempt(waiter: Waiter): boolean;

  /** Another task has let the operation of a blocked waiter take effect, at this place. */
  completed(_waiter: Waiter, _place: Place): void {}

  /** What an operation on it does: whatever it is, it has to do with every other one on it. */
  effectsIn(operations: Operations): Effects | undefined {
    if (this.touchedIn !== operations) {
      this.touchedIn = operations;
      const name = ++operations.primitives;
      this.touched = { reads: [], writes: [name], closed: true, ends: false };
    }
    return this.touched;
  }

  /** An operation of the waiter's has an effect here, or has seen that it cannot have one. */
  touch(waiter: Waiter, operations: Operations): void {
    operations.happened(waiter.owner.task, this, waiter.operation.hash);
  }
}

/** A place in a line. A select waits in several lines at once. */
export interface Place {
  readonly waiter: Waiter;
  /** Which case of a select; 0 otherwise. */
  readonly caseIndex: number;
  /** What is sent. */
  value: unknown;
  line: WaitQueue | undefined;
  before: Place | undefined;
  after: Place | undefined;
}

type Settle = (result: unknown) => void;

/** The functions of the promise that is being made: saves a closure for every operation. */
let resolveLast: Settle;
let rejectLast: Settle;
const keepFunctions = (resolve: Settle, reject: Settle): void => {
  resolveLast = resolve;
  rejectLast = reject;
};

const spare: Waiter[] = [];

export class Waiter extends QueuedEvent implements Place {
  target!: Primitive;
  operation!: OperationSite;
  /** What is sent at first; what was received, or why it failed, in the end. */
  value: unknown = undefined;
  failed = false;
  /** Whether a receive found that the channel is closed and empty. */
  done = false;

  line: WaitQueue | undefined = undefined;
  before: Place | undefined = undefined;
  after: Place | undefined = undefined;

  blocked = false;
  previousBlocked: Waiter | undefined = undefined;
  nextBlocked: Waiter | undefined = undefined;

  private frame: Frame | undefined = undefined;
  private effected = false;
  private resolve: Settle | undefined = undefined;
  private reject: Settle | undefined = undefined;
  /** Made when first needed: most waiters need neither. */
  private goOn: (() => unknown) | undefined = undefined;
  private release: (() => number) | undefined = undefined;

  /** The simulation that it is in now; undefined outside of one. */
  scheduler: Scheduler | undefined = undefined;

  get waiter(): this {
    return this;
  }

  get caseIndex(): number {
    return 0;
  }

  /** Whose operation it is. */
  get owner(): Frame {
    return this.frame!;
  }

  /** Its simulation is over, or its host has ended: it must not be given anything. */
  get stale(): boolean {
    const { scheduler, frame } = this;
    return scheduler !== undefined && (scheduler.ended || frame?.task.host?.dead === true);
  }

  /** Begins the operation, and gives the promise of its result. */
  begin(
    scheduler: Scheduler | undefined,
    target: Primitive,
    operation: OperationSite,
    value: unknown,
  ): Promise<unknown> {
    this.target = target;
    this.operation = operation;
    this.value = value;
    if (scheduler === undefined || scheduler.ended) return this.beginPlain(target);
    this.scheduler = scheduler;
    const frame = scheduler.current;
    this.frame = frame;
    this.background = frame.task.background;
    const delay = this.chooseDelay(scheduler, frame);
    let promise: Promise<unknown>;
    if (delay === 0 && scheduler.loop.takeStep()) {
      if (this.takesEffect(scheduler, frame)) {
        promise = scheduler.alone ? this.outcome() : this.outcomeBeside();
        if (scheduler.alone) this.recycle();
      } else {
        promise = this.makePromise();
        if (!this.effected) scheduler.operations.block(this);
      }
    } else {
      promise = this.makePromise();
      this.schedule(scheduler, delay);
    }
    scheduler.handed = promise;
    return promise;
  }

  /** The same outside a simulation. */
  private beginPlain(target: Primitive): Promise<unknown> {
    if (!target.attempt(this)) return this.makePromise();
    const promise = this.outcome();
    this.recycle();
    return promise;
  }

  /** The delay is over: of the operation, or of going on after it. */
  override run(): void {
    const scheduler = this.scheduler!;
    const frame = this.frame!;
    if (scheduler.isAbandoned(frame.task)) return;
    const pause = scheduler.pauseOf(frame.task);
    if (pause > 0) return scheduler.loop.schedule(pause, this);
    scheduler.resumeAlone(frame);
    if (!this.effected && !this.takesEffect(scheduler, frame)) {
      if (!this.effected) scheduler.operations.block(this);
      return;
    }
    const { value, failed, resolve, reject } = this;
    this.recycle();
    if (failed) reject!(value);
    else resolve!(value);
  }

  /**
   * Another task has let the operation of this blocked one take effect.
   * @param place in which of the lines where it waits
   */
  wake(place: Place = this): void {
    this.target.completed(this, place);
    const { scheduler } = this;
    if (scheduler === undefined) {
      const { value, failed, resolve, reject } = this;
      this.recycle();
      if (failed) reject!(value);
      else resolve!(value);
      return;
    }
    if (this.blocked) scheduler.operations.unblock(this);
    this.effected = true;
    this.target.touch(this, scheduler.operations);
    this.schedule(scheduler, this.chooseDelay(scheduler, this.frame!));
  }

  /** A blocked operation goes over into another one: to wait for a signal, into taking a lock. */
  turnInto(target: Primitive, operation: OperationSite): void {
    const { scheduler } = this;
    this.target = target;
    this.operation = operation;
    if (scheduler === undefined) {
      if (target.attempt(this)) this.wake();
      return;
    }
    if (this.blocked) scheduler.operations.unblock(this);
    this.schedule(scheduler, this.chooseDelay(scheduler, this.frame!));
  }

  /** The task goes on after so many nanoseconds, whatever others do. */
  goOnAfter(nanoseconds: number): void {
    this.effected = true;
    this.scheduler!.loop.schedule(nanoseconds, this);
  }

  /** It cannot take effect any more. */
  fail(error: Error): void {
    this.failed = true;
    this.value = error;
  }

  /**
   * Settles the promise of a blocked operation when `promise` settles; for looking at who waits for
   * it, see blocked.ts.
   */
  follow(promise: Promise<unknown>): void {
    derive(promise, this.resolve!);
  }

  private takesEffect(scheduler: Scheduler, frame: Frame): boolean {
    this.target.touch(this, scheduler.operations);
    const { operations } = scheduler;
    scheduler.loop.ordered(frame.task, this.operation, this.target.effectsIn(operations));
    if (!this.target.attempt(this)) return false;
    return (this.effected = true);
  }

  /** @param delay in nanoseconds; negative when a strategy lets it go, see {@link HOLD} */
  private schedule(scheduler: Scheduler, delay: number): void {
    if (delay >= 0) return scheduler.loop.schedule(delay, this);
    this.release ??= () => {
      this.scheduler!.loop.schedule(1, this);
      return this.due;
    };
    scheduler.loop.hold(delay, this.release);
  }

  private chooseDelay(scheduler: Scheduler, frame: Frame): number {
    return scheduler.loop.choose(Kind.Operation, ANY, frame.task, this.operation, Infinity);
  }

  private makePromise(): Promise<unknown> {
    const promise = new PristinePromise<unknown>(keepFunctions);
    this.resolve = resolveLast;
    this.reject = rejectLast;
    return promise;
  }

  private outcome(): Promise<unknown> {
    return this.failed ? PristinePromise.reject(this.value as Error) : promiseResolve(this.value);
  }

  /** The same, where other tasks run in this event too. */
  private outcomeBeside(): Promise<unknown> {
    this.goOn ??= () => this.resumeBeside();
    return derive(settled, this.goOn);
  }

  /** Runs just before the code that awaits the operation, where another task may have run since. */
  private resumeBeside(): unknown {
    const scheduler = this.scheduler!;
    const { value, failed, frame } = this;
    scheduler.base = scheduler.current = frame!;
    scheduler.clearMarks();
    this.recycle();
    if (failed) throw value;
    return value;
  }

  /** Puts it among those that are used again, in whatever simulation. */
  private recycle(): void {
    this.value = this.frame = this.scheduler = this.resolve = this.reject = undefined;
    this.failed = this.effected = this.done = false;
    spare.push(this);
  }
}

/** Notes the effect of something that is no yield point, such as the unlocking of a lock. */
export function noteEffect(target: Primitive, operation: OperationSite): void {
  const { scheduler } = active;
  if (scheduler === undefined || scheduler.ended) return;
  const { operations, loop } = scheduler;
  const { task } = scheduler.current;
  operations.happened(task, target, operation.hash);
  loop.ordered(task, operation, target.effectsIn(operations));
}

/** Performs an operation of the task that runs now, or of no task outside a simulation. */
export function perform(
  target: Primitive,
  operation: OperationSite,
  value?: unknown,
): Promise<unknown> {
  return (spare.pop() ?? new Waiter()).begin(active.scheduler, target, operation, value);
}
