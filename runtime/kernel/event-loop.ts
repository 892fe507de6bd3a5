/**
 * The event loop of one run of one seed: clock, pending events, and turns.
 *
 * Virtual time is an integer number of nanoseconds since the start of the simulation. Nothing here
 * knows about promises: `drain` is handed in, and runs every microtask and nextTick to the end.
 * A turn follows libuv 1.45 and later: poll (completed I/O, messages, woken parks), immediates,
 * close callbacks, timers.
 */

import { Kind, type Site, type Subject } from './choice.js';
import { Choices } from './choices.js';
import { CallbackEvent, EventQueue, type QueuedEvent } from './event-queue.js';
import { mix } from './hash.js';
import { NODE } from './rung.js';
import { TimerLists, type ListedTimer } from './timer-lists.js';

export const MILLISECOND = 1e6;

/** How many turns of the loop take no virtual time. */
const FREE_TURNS = 1000;

/** How many ticks that throw may wait for one another. */
const TICK_ERRORS = 100;

/** How often in one phase what is fed may feed more. */
const FED_ROUNDS = 8;

/** A timer of the program, as the loop sees it. */
export interface LoopTimer extends ListedTimer {
  /** Who made it, and where: a late loop is a choice about the timer that is next. */
  readonly task: Subject;
  readonly site: Site;
  run(): void;
}

export interface LoopOptions {
  /** Runs every microtask and nextTick, synchronously. */
  drain(): void;
  /** An event callback threw. */
  onError(error: unknown): void;
  /** No event is pending that could move the program. Returns false when that ends the run. */
  onIdle(): boolean;
  /** `maxSteps` steps were taken since the budget was last renewed, and there is another one. */
  onBudget(): void;
  /** Steps (events) until `onBudget` is called. */
  maxSteps: number;
  /** How late the loop can be, in nanoseconds. */
  maxStall: number;
  /** Whether turns that wait for time to pass make it pass; see {@link EventLoop.passTurn}. */
  turnsTakeTime?: boolean;
}

/** Work of the test runner: never a choice, and never in the trace. */
interface HarnessTimer {
  /** When it would be due if the scheduler had never injected any delay, in nanoseconds. */
  readonly undelayed: number;
  readonly run: () => void;
}

export class EventLoop extends Choices {
  steps = 0;

  private readonly events = new EventQueue();
  private readonly timers = new TimerLists<LoopTimer>();
  private immediates: ImmediateEvent[] = [];
  private readonly closing: Runnable[] = [];
  private fed: Runnable[] = [];
  /** The first due is the first, whatever is injected: all are put off alike. */
  private readonly harnessTimers: HarnessTimer[] = [];
  /** Takes the next callback of the phase that runs; see {@link EventLoop.reportTickError}. */
  private takeNext: (this: EventLoop) => Runnable | undefined = none;
  /** The order of the first event that is not of this poll phase. */
  private pollEnd = 0;
  /** The immediates of this turn, and how many of them have run. */
  private batch: ImmediateEvent[] = [];
  private batchIndex = 0;
  /** The time of this timers phase in milliseconds, and the list the last timer came from. */
  private timersNow = 0;
  private listDuration = 0;
  private tickErrors = 0;
  /** After how many steps there was a drain before the immediates. */
  private drainedAt = -1;
  /** Turns of the loop at one time, and that time; see {@link EventLoop.passTurn}. */
  private turns = 0;
  private turnedAt = -1;
  private stopped = false;
  private budget: number;

  constructor(private readonly options: LoopOptions) {
    super();
    this.budget = options.maxSteps;
  }

  // ---- events ----------------------------------------------------------------------------------

  /** Queues `run` for the poll phase of the turn at `now + delay` nanoseconds. */
  after(delay: number, run: () => void): QueuedEvent {
    const event = new CallbackEvent(run);
    this.events.add(this.now + delay, event);
    return event;
  }

  /** Queues an event object likewise. */
  schedule(delay: number, event: QueuedEvent): void {
    this.events.add(this.now + delay, event);
  }

  cancel(event: QueuedEvent): boolean {
    return this.events.cancel(event);
  }

  immediate(run: () => void): ImmediateEvent {
    const event: ImmediateEvent = { run };
    this.immediates.push(event);
    return event;
  }

  cancelImmediate(event: ImmediateEvent): void {
    event.run = doNothing;
    const index = this.immediates.indexOf(event);
    if (index >= 0) this.immediates.splice(index, 1);
  }

  /** Queues what follows the poll phase at once, in the same turn: a request that is done. */
  feed(run: () => void): void {
    this.fed.push({ run });
  }

  close(run: () => void): void {
    this.closing.push({ run });
  }

  /** The loop's clock in whole milliseconds, which is what timers go by. */
  get milliseconds(): number {
    return Math.floor(this.now / MILLISECOND);
  }

  startTimer(timer: LoopTimer, milliseconds: number, start = this.milliseconds): void {
    this.timers.insert(timer, milliseconds, start);
  }

  stopTimer(timer: LoopTimer): boolean {
    return this.timers.remove(timer);
  }

  pendingTimers(): IterableIterator<LoopTimer> {
    return this.timers.pending();
  }

  /**
   * The test runner's own timer: due after `delay` and all delay that is injected meanwhile.
   * @param injectedBefore what `injected` was when that which is timed began
   */
  startHarnessTimer(delay: number, run: () => void, injectedBefore = this.injected): HarnessTimer {
    const timer = { undelayed: this.now + delay - injectedBefore, run };
    const { harnessTimers } = this;
    const later = harnessTimers.findIndex((other) => other.undelayed > timer.undelayed);
    harnessTimers.splice(later < 0 ? harnessTimers.length : later, 0, timer);
    return timer;
  }

  stopHarnessTimer(timer: HarnessTimer): void {
    const index = this.harnessTimers.indexOf(timer);
    if (index >= 0) this.harnessTimers.splice(index, 1);
  }

  // ---- running ---------------------------------------------------------------------------------

  /** Lets synchronous code cost time: the clock moves while nothing else runs. */
  spend(nanoseconds: number): void {
    this.now += nanoseconds;
  }

  /** Something the program queued has thrown, and nobody was there to catch it. */
  reportError(error: unknown): void {
    this.options.onError(error);
  }

  /**
   * A nextTick has thrown. The ticks and microtasks that are left wait in Node: the next callback
   * of the loop comes first, or the immediate that Node makes for the purpose. So it runs from
   * here, inside the drain that goes on afterwards.
   * @param drainsBeforeImmediates whether there is a drain before the immediates
   */
  reportTickError(error: unknown, drainsBeforeImmediates: boolean): void {
    this.options.onError(error);
    if (this.stopped || this.tickErrors >= TICK_ERRORS) return;
    this.immediate(doNothing);
    this.tickErrors++;
    const inDrainBefore = this.drainedAt === this.steps;
    const next = this.takeNext();
    if (next !== undefined) this.step(next);
    else if (drainsBeforeImmediates && !inDrainBefore) this.drainedAt = this.steps;
    else this.step(this.immediates.shift()!);
    this.tickErrors--;
  }

  /**
   * Counts a step that needs no event of its own. Returns false when the budget is spent: then it
   * must be queued as an event after all, so that the loop can say so.
   */
  takeStep(): boolean {
    if (this.steps >= this.budget) return false;
    this.steps++;
    return true;
  }

  /** Whether all that is pending is events that a run need not wait for, and there are some. */
  get onlyBackground(): boolean {
    const { events } = this;
    return (
      events.foreground === 0 &&
      events.size > 0 &&
      this.held.size === 0 &&
      this.timers.size === 0 &&
      this.immediates.length === 0 &&
      this.closing.length === 0 &&
      this.fed.length === 0
    );
  }

  /** Gives the steps of another `maxSteps`, for the next test. */
  renewBudget(): void {
    this.budget = this.steps + this.options.maxSteps;
  }

  /** Ends `run` after the callback that is running now. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Turns the loop until `stop` is called, or nothing is left that could move the program, or
   * nothing that is due at `horizon` or before.
   */
  run(horizon = Infinity): void {
    this.stopped = false;
    this.options.drain();
    if (!this.stopped) this.runTimers();
    while (!this.stopped) {
      if (!this.reachNext(horizon)) return;
      this.passTurn();
      if (this.fed.length > 0) this.runFed();
      this.poll();
      if (this.fed.length > 0) this.runFed();
      if (this.immediates.length > 0) this.runImmediates();
      if (this.closing.length > 0) this.runClosing();
      if (this.timers.size > 0) this.runTimers();
    }
  }

  /** Moves the clock on when nothing is due before `time`. */
  advanceTo(time: number): void {
    this.now = Math.max(this.now, time);
  }

  /**
   * A turn of the loop takes time: a program that waits for a timer by setImmediate must see it
   * fire. Of the turns since the clock last moved by itself the first 1,000 are free, and each
   * further one moves the clock, by 1 µs at first and by twice as much after every further 1,000
   * turns, up to 1 ms. When nothing is pending that time could bring, the clock stands still.
   */
  private passTurn(): void {
    if (this.options.turnsTakeTime === false) return;
    if (this.now !== this.turnedAt) {
      this.turnedAt = this.now;
      this.turns = 0;
      return;
    }
    if (++this.turns < FREE_TURNS) return;
    if (this.events.size === 0 && this.nextTimerDue() === Infinity) return;
    const doublings = Math.floor(this.turns / FREE_TURNS) - 1;
    this.now += Math.min(1e3 * 2 ** doublings, MILLISECOND);
    this.turnedAt = this.now;
  }

  /** Whether something can run without the clock moving. */
  private runnable(): boolean {
    return (
      this.immediates.length > 0 ||
      this.closing.length > 0 ||
      this.fed.length > 0 ||
      this.events.nextDue <= this.now ||
      this.nextTimerDue() <= this.now
    );
  }

  /**
   * Moves the clock to the next thing due. Returns false when there is nothing at all, or nothing
   * up to the horizon.
   */
  private reachNext(horizon: number): boolean {
    if (this.immediates.length > 0 || this.closing.length > 0 || this.fed.length > 0) return true;
    let next = this.nextDue();
    if (next <= this.now) return true;
    if (this.held.size > 0) {
      this.pickHeld(next);
      next = this.nextDue();
    }
    if (next > horizon && next !== Infinity) return false;
    return this.advance(next);
  }

  private advance(next: number): boolean {
    if (next === Infinity && this.options.onIdle()) {
      this.options.drain();
      return true;
    }
    const harnessDue =
      this.harnessTimers.length > 0 ? this.harnessTimers[0].undelayed + this.injected : Infinity;
    if (harnessDue < next) {
      this.now = Math.max(this.now, harnessDue);
      this.call(this.harnessTimers.shift()!);
      return true;
    }
    if (next === Infinity) return false;
    this.now = Math.max(this.now, next);
    return true;
  }

  /** Whether anything is queued. */
  get pending(): boolean {
    return (
      this.events.size > 0 ||
      this.timers.size > 0 ||
      this.immediates.length > 0 ||
      this.closing.length > 0 ||
      this.fed.length > 0
    );
  }

  /** When time brings the next event. */
  private nextDue(): number {
    return Math.min(this.events.nextDue, this.nextTimerDue());
  }

  /** Lets one held point go, unless the strategy wants time to pass first. */
  private pickHeld(next: number): void {
    const decision = this.held.pick(this.now, next);
    if (decision === undefined) return;
    this.injected += decision.value;
    this.digest = mix(this.digest, decision.key ^ decision.value);
  }

  private nextTimerDue(): number {
    return this.timers.size === 0 ? Infinity : this.timers.expiry * MILLISECOND;
  }

  private poll(): void {
    this.pollEnd = this.events.nextOrder;
    this.takeNext = this.takeEvent;
    while (!this.stopped) {
      const event = this.takeEvent();
      if (event === undefined) break;
      this.step(event);
    }
    this.takeNext = none;
  }

  private takeEvent(): QueuedEvent | undefined {
    const event = this.events.peek();
    if (event === undefined || event.due > this.now || event.order >= this.pollEnd) {
      return undefined;
    }
    this.events.pop();
    return event;
  }

  /** As libuv does, a few times at most: what goes on for ever must not stop the loop. */
  private runFed(): void {
    for (let i = 0; i < FED_ROUNDS && this.fed.length > 0 && !this.stopped; i++) {
      const batch = this.fed;
      this.fed = [];
      for (let j = 0; j < batch.length; j++) {
        this.step(batch[j]);
        if (!this.stopped) continue;
        this.fed = [...batch.slice(j + 1), ...this.fed];
        return;
      }
    }
  }

  private runImmediates(): void {
    this.batch = this.immediates;
    this.immediates = [];
    this.batchIndex = 0;
    this.takeNext = this.takeImmediate;
    while (!this.stopped && this.batchIndex < this.batch.length) this.step(this.takeImmediate()!);
    this.takeNext = none;
    if (this.batchIndex < this.batch.length) {
      this.immediates = [...this.batch.slice(this.batchIndex), ...this.immediates];
    }
  }

  private takeImmediate(): ImmediateEvent | undefined {
    return this.batch[this.batchIndex++];
  }

  private runClosing(): void {
    for (const event of this.closing.splice(0)) this.step(event);
  }

  private runTimers(): void {
    const head = this.timers.peek();
    if (head === undefined) return;
    const due = this.nextTimerDue();
    const { maxStall } = this.options;
    if (due <= this.now || (this.runnable() && due - this.now <= maxStall)) {
      this.now += this.choose(Kind.Stall, NODE, head.task, head.site, maxStall);
    }
    this.runDueTimers(this.milliseconds);
  }

  private runDueTimers(now: number): void {
    this.timersNow = now;
    this.listDuration = 0;
    this.takeNext = this.takeTimer;
    while (!this.stopped) {
      const timer = this.takeTimer();
      if (timer === undefined) break;
      this.step(timer);
    }
    this.takeNext = none;
  }

  /** Between two lists, and after the last, what has been queued runs even after an error. */
  private takeTimer(): LoopTimer | undefined {
    const timer = this.timers.take(this.timersNow);
    const inDrain = this.tickErrors > 0;
    if (timer?.duration !== this.listDuration && !inDrain) this.options.drain();
    this.listDuration = timer?.duration ?? 0;
    return timer;
  }

  private step(event: Runnable): void {
    if (this.steps >= this.budget) {
      this.renewBudget();
      this.options.onBudget();
      if (this.stopped) return;
    }
    this.steps++;
    this.digest = mix(this.digest, this.now | 0);
    this.call(event);
  }

  /**
   * In Node the next callback follows one that throws at once: what that one has queued runs after
   * it, or after the immediate that Node makes for the purpose.
   */
  private call(event: Runnable): void {
    try {
      event.run();
    } catch (error) {
      this.options.onError(error);
      if (!this.stopped) this.immediate(doNothing);
      return;
    }
    this.options.drain();
  }
}

interface Runnable {
  run(): void;
}

/** A pending `setImmediate` callback. */
export interface ImmediateEvent {
  run: () => void;
}

function doNothing(): void {}

function none(): undefined {}
