/**
 * The event loop of one run of one seed: clock, pending events, choices, and turns.
 *
 * Virtual time is an integer number of nanoseconds since the start of the simulation. Nothing here
 * knows about promises: `drain` is handed in, and runs every microtask and nextTick to the end.
 * A turn follows libuv 1.45 and later: poll (completed I/O, messages, woken parks), immediates,
 * close callbacks, timers.
 */

import {
  HOLD,
  Kind,
  type Choice,
  type Decision,
  type Site,
  type Spread,
  type Subject,
} from './choice.js';
import { Counters } from './counters.js';
import { CallbackEvent, EventQueue, type QueuedEvent } from './event-queue.js';
import { finish, fraction, mix } from './hash.js';
import { HeldPoints, type Release } from './held-points.js';
import { NATIVE, NODE, type Rung } from './rung.js';
import type { Source } from './source.js';
import { TimerLists, type ListedTimer } from './timer-lists.js';

export const MILLISECOND = 1e6;

/** How many turns of the loop take no virtual time. */
const FREE_TURNS = 1000;

/** A timer of the program, as the loop sees it. */
export interface LoopTimer extends ListedTimer {
  /** Who made it, and where: a late loop is a choice about the timer that is next. */
  readonly task: Subject;
  readonly site: Site;
  run(): void;
}

/** Told of every choice, while a trace is recorded. `value` is 0 for the default of a delay. */
export interface Recorder {
  /** @param at virtual nanoseconds */
  choice(decision: Decision, at: number): void;
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

export class EventLoop {
  /** Virtual nanoseconds since the start. */
  now = 0;
  /** Delay that deviations have added so far, in nanoseconds. */
  injected = 0;
  steps = 0;
  /** How many choices there were. */
  choices = 0;
  /** A running fingerprint of everything that happened; equal traces have equal digests. */
  digest = 0;
  /** A running fingerprint of the order of the steps: it leaves out when they happened. */
  shape = 0;
  recorder: Recorder | undefined;
  /** Whether the world has healed: no fault strikes any more. */
  healed = false;

  private readonly counters = new Counters();
  private readonly events = new EventQueue();
  private readonly timers = new TimerLists<LoopTimer>();
  private immediates: ImmediateEvent[] = [];
  private readonly closing: Runnable[] = [];
  /** The first due is the first, whatever is injected: all are put off alike. */
  private readonly harnessTimers: HarnessTimer[] = [];
  private readonly held = new HeldPoints();
  /** The question to a strategy, used again for each. */
  private readonly question: Mutable<Choice> = {
    kind: Kind.Await,
    rung: NATIVE,
    key: 0,
    occurrence: 0,
    task: undefined as unknown as Subject,
    site: undefined as unknown as Site,
    limit: 0,
    due: 0,
  };
  /** Turns of the loop at one time, and that time; see {@link EventLoop.passTurn}. */
  private turns = 0;
  private turnedAt = -1;
  private stopped = false;
  private budget: number;

  constructor(private readonly options: LoopOptions) {
    this.budget = options.maxSteps;
  }

  // ---- choices ---------------------------------------------------------------------------------

  /**
   * Decides how long something takes beyond its default, in nanoseconds.
   * @param limit the longest delay that is legal here
   * @param due when it is due without delay, as far as that is known
   * @returns a negative number when the strategy wants to hold it: call {@link EventLoop.hold} with
   *   that number when the time has come; never where the delay has a limit
   */
  choose(kind: Kind, rung: Rung, task: Subject, site: Site, limit: number, due = this.now): number {
    const key = mix(mix(task.hash, site.hash), kind) >>> 1;
    const occurrence = this.counters.next(key);
    this.choices++;
    const { scope } = task;
    let value = 0;
    if (rung <= scope.rung) {
      const { question } = this;
      question.kind = kind;
      question.rung = rung;
      question.key = key;
      question.occurrence = occurrence;
      question.task = task;
      question.site = site;
      question.limit = limit;
      question.due = due;
      value = scope.strategy.delay(question);
    }
    this.digest = mix(this.digest, key ^ occurrence ^ (value | 0));
    if (value === HOLD && limit !== Infinity) value = 0;
    if (value !== HOLD && kind !== Kind.Select) this.injected += value;
    if (value !== HOLD && this.recorder === undefined) return value;
    const decision = { kind, rung, key, occurrence, value, task, site };
    this.recorder?.choice(decision, this.now);
    return value === HOLD ? this.held.add(decision) : value;
  }

  /**
   * The time has come for something that a strategy wants to hold.
   * @param number what {@link EventLoop.choose} returned
   * @param since when it has come, in virtual nanoseconds
   */
  hold(number: number, release: Release, since = this.now): void {
    this.held.hold(number, since, release);
  }

  /** What is held will never go on. */
  dropHeld(release: Release): void {
    this.held.drop(release);
  }

  /** The run is over: what is held was late until the end, and what never came was not late. */
  endHeld(): void {
    this.held.end(this.now);
  }

  /** A step of a task: the shape is made of what follows what. */
  ordered(task: Subject, site: Site): void {
    this.shape = mix(this.shape, task.hash ^ site.hash);
  }

  /** Draws a random number in [0, 1) for the program. */
  random(task: Subject, site: Site): number {
    const key = mix(mix(task.hash, site.hash), Kind.Random) >>> 1;
    const occurrence = this.counters.next(key);
    this.choices++;
    const { scope } = task;
    const drawn = scope.rung >= NODE ? scope.strategy.value(key, occurrence) : undefined;
    const value = drawn ?? defaultValue(key, occurrence);
    this.digest = mix(this.digest, finish(key ^ occurrence) ^ ((value * 4294967296) | 0));
    this.recorder?.choice(
      {
        kind: Kind.Random,
        rung: drawn === undefined ? NATIVE : NODE,
        key,
        occurrence,
        value,
        task,
        site,
      },
      this.now,
    );
    return value;
  }

  /** A 32-bit word for the program's cryptographic bytes. */
  randomWord(task: Subject, site: Site): number {
    const key = mix(mix(task.hash, site.hash), Kind.Bytes) >>> 1;
    const seed = task.scope.rung >= NODE ? task.scope.strategy.bytesSeed : 0;
    return finish(mix(mix(key, this.counters.next(key)), seed));
  }

  /**
   * Decides whether a fault of `source` strikes.
   * @param occurrence counts what it could strike (messages, writes), whatever the rate was then
   * @param rate 0 to 1; at 0 there is nothing to decide
   */
  strikes(kind: Kind, source: Source, occurrence: number, rate: number): boolean {
    if (rate <= 0 || this.healed) return false;
    const { scope } = source.task;
    if (scope.rung < NODE) return false;
    const key = mix(source.base, kind) >>> 1;
    const struck = scope.strategy.strikes(kind, key, occurrence, rate);
    this.decided(kind, NODE, key, occurrence, struck ? 1 : 0, source);
    return struck;
  }

  /** Decides how much longer than the least something of `source` takes, in nanoseconds. */
  latency(kind: Kind, source: Source, occurrence: number, spread: Spread): number {
    const { scope } = source.task;
    if (scope.rung < NODE) return 0;
    const key = mix(source.base, kind) >>> 1;
    const value = scope.strategy.latency(kind, key, occurrence, spread);
    this.decided(kind, NODE, key, occurrence, value, source);
    return value;
  }

  /** Draws a number in [0, 1) for `source`. */
  draw(kind: Kind, source: Source, occurrence: number): number {
    const key = mix(source.base, kind) >>> 1;
    const { scope } = source.task;
    const drawn = scope.rung >= NODE ? scope.strategy.value(key, occurrence) : undefined;
    const value = drawn ?? defaultValue(key, occurrence);
    this.decided(kind, drawn === undefined ? NATIVE : NODE, key, occurrence, value, source);
    return value;
  }

  private decided(
    kind: Kind,
    rung: Rung,
    key: number,
    occurrence: number,
    value: number,
    source: Source,
  ): void {
    this.choices++;
    this.digest = mix(this.digest, key ^ occurrence ^ ((value * 65536) | 0));
    const { recorder } = this;
    if (recorder === undefined) return;
    const { task } = source;
    recorder.choice({ kind, rung, key, occurrence, value, task, site: source }, this.now);
  }

  /** The occurrence number of something that is named, not chosen: the n-th task of one name. */
  ordinal(key: number): number {
    return this.counters.next(key);
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
      this.closing.length === 0
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
      this.poll();
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
      this.events.nextDue <= this.now ||
      this.nextTimerDue() <= this.now
    );
  }

  /**
   * Moves the clock to the next thing due. Returns false when there is nothing at all, or nothing
   * up to the horizon.
   */
  private reachNext(horizon: number): boolean {
    if (this.immediates.length > 0 || this.closing.length > 0) return true;
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
      this.closing.length > 0
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
    const end = this.events.nextOrder;
    for (;;) {
      const event = this.events.peek();
      if (event === undefined || event.due > this.now || event.order >= end) return;
      this.events.pop();
      this.step(event);
      if (this.stopped) return;
    }
  }

  private runImmediates(): void {
    const batch = this.immediates;
    this.immediates = [];
    for (let i = 0; i < batch.length; i++) {
      this.step(batch[i]);
      if (!this.stopped) continue;
      this.immediates = [...batch.slice(i + 1), ...this.immediates];
      return;
    }
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

  /** Between two lists, and after the last, what has been queued runs even after an error. */
  private runDueTimers(now: number): void {
    let duration = 0;
    for (;;) {
      const timer = this.timers.take(now);
      if (timer === undefined || timer.duration !== duration) this.options.drain();
      if (timer === undefined) return;
      duration = timer.duration;
      this.step(timer);
      if (this.stopped) return;
    }
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

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A pending `setImmediate` callback. */
export interface ImmediateEvent {
  run: () => void;
}

function doNothing(): void {}

/** The draw of seed 0, which is the default of every value. */
function defaultValue(key: number, occurrence: number): number {
  return fraction(mix(mix(0, key), occurrence));
}
