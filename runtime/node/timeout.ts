/**
 * The virtual `Timeout`: what `setTimeout` and `setInterval` return inside a simulation.
 *
 * It shows the surface of Node's own class, underscore fields included, and is an instance of it.
 * What the event loop of the simulation needs is in an object behind a private field. After
 * lib/internal/timers.js and lib/timers.js.
 */

import { Kind } from '../kernel/choice.js';
import { NODE, STUBS } from '../kernel/rung.js';
import { MILLISECOND, type LoopTimer } from '../kernel/event-loop.js';
import type { ListedTimer, TimerList } from '../kernel/timer-lists.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { unknownSite, type SourceSite } from '../tasks/sites.js';
import type { Task } from '../tasks/task.js';
import { delayLoop, spend } from './plain-node.js';
import { pristine } from './pristine.js';
import { simulated } from './simulated.js';
import { stateOf } from './state.js';
import { VirtualEvent } from './virtual-event.js';

const { apply } = Reflect;
const LONGEST = 2 ** 31 - 1;
/** How much virtual time the synchronous code before the creation of a timer may have cost. */
const LARGEST_COST = MILLISECOND;
/** The time after which undici walks its list of timeouts, in milliseconds. */
const UNDICI_TICK = 499;

type Callback = (...args: any[]) => unknown;

export interface TimeoutOptions {
  readonly repeat: boolean;
  readonly ref: boolean;
}

export class Timeout {
  _idleTimeout: number;
  _idlePrev: null = null;
  _idleNext: null = null;
  _idleStart: number | null = null;
  _onTimeout: Callback | null;
  _timerArgs: unknown[] | undefined;
  _repeat: number | null;
  _destroyed = false;
  #event!: VirtualEvent;
  #timer!: LoopTimer;
  #ref: boolean;
  #id = 0;
  /** Not 0 while a strategy is to say how late it fires the first time; see `EventLoop.choose`. */
  #hold = 0;
  /** Lets it go, once it is held; see {@link Timeout.#due}. */
  #release: (() => number) | undefined;

  constructor(
    scheduler: Scheduler,
    callback: Callback,
    after: unknown,
    args: unknown[] | undefined,
    options: TimeoutOptions,
  ) {
    this._idleTimeout = durationOf(after);
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = options.repeat ? this._idleTimeout : null;
    this.#ref = options.ref;
    this.#begin(scheduler);
  }

  /** Makes the choices about a new timer, and starts it. */
  #begin(scheduler: Scheduler): void {
    if (this._idleTimeout === UNDICI_TICK && this._onTimeout!.name === 'onTick') {
      stateOf(scheduler).undiciTicks.add(this._onTimeout as () => void);
    }
    const site = scheduler.takeSite();
    this.#event = new VirtualEvent(scheduler, site, 'Timeout');
    this.#timer = new ProgramTimer(
      this.#event.task,
      site,
      () => (this.#hold === 0 ? this.#fire() : this.#due()),
      () => this.#ref,
    );
    const late = lateness(scheduler, site, this._idleTimeout);
    if (late < 0) this.#hold = late;
    this.#start(this._idleTimeout + Math.max(0, late));
  }

  static isVirtual(value: unknown): value is Timeout {
    return typeof value === 'object' && value !== null && #event in value;
  }

  /** Stops it for good; does nothing when it has been stopped before. */
  stop(): void {
    if (this._onTimeout === null) return;
    this._onTimeout = null;
    if (this._destroyed) return;
    this.#letGo();
    this.#event.scheduler.loop.stopTimer(this.#timer);
    this.#end();
    this._idleTimeout = -1;
  }

  refresh(): this {
    if (this._idleTimeout < 0) return this;
    const { scheduler } = this.#event;
    if (scheduler.ended) {
      // A package may keep a timer over many runs: it is as good as new in each.
      const next = simulated();
      if (next === undefined) return this;
      this._destroyed = false;
      this.#begin(next);
      return this;
    }
    if (this._destroyed) {
      this._destroyed = false;
      this.#event.renewContext();
    }
    this.#letGo();
    this.#start(this._idleTimeout);
    return this;
  }

  ref(): this {
    this.#ref = true;
    return this;
  }

  unref(): this {
    this.#ref = false;
    return this;
  }

  hasRef(): boolean {
    return this.#ref;
  }

  close(): this {
    this.stop();
    return this;
  }

  [Symbol.toPrimitive](): number {
    if (this.#id === 0) this.#id = stateOf(this.#event.scheduler).identify(this);
    return this.#id;
  }

  #start(milliseconds: number, start?: number): void {
    const { loop } = this.#event.scheduler;
    const drift = this.#event.task.host?.clock.drift ?? 0;
    const whole = Math.trunc(milliseconds);
    const waits = drift === 0 ? whole : Math.max(1, Math.round(whole / (1 + drift)));
    loop.startTimer(this.#timer, waits, start);
    this._idleStart = this.#timer.start;
  }

  /**
   * It would fire now, and is held instead. Let go, it fires in the next whole millisecond, as a
   * timer that is late by so much would.
   */
  #due(): void {
    const { loop } = this.#event.scheduler;
    const { start, duration } = this.#timer;
    const number = this.#hold;
    this.#hold = 0;
    this.#release = () => {
      this.#release = undefined;
      const fires = loop.milliseconds + 1;
      loop.startTimer(this.#timer, fires - start, start);
      return fires * MILLISECOND;
    };
    loop.hold(number, this.#release, (start + duration) * MILLISECOND);
  }

  /** It is not held any more, since it is stopped or put off. */
  #letGo(): void {
    this.#hold = 0;
    if (this.#release !== undefined) this.#event.scheduler.loop.dropHeld(this.#release);
    this.#release = undefined;
  }

  /** An interval counts from before its callback. */
  #fire(): void {
    const callback = this._onTimeout;
    const { scheduler, task } = this.#event;
    const { loop } = scheduler;
    if (callback === null || scheduler.isAbandoned(task)) return this.#end();
    const pause = scheduler.pauseOf(task);
    if (pause > 0) {
      loop.after(pause, () => this.#fire());
      return;
    }
    const before = loop.milliseconds;
    const args = this._timerArgs;
    try {
      this.#event.run(
        args === undefined ? () => this._onTimeout!() : () => apply(callback, this, args),
      );
    } finally {
      if (this._repeat !== null && this._idleTimeout !== -1) {
        this._idleTimeout = this._repeat;
        this.#start(this._repeat, before);
      } else if (this.#timer.list === undefined && !this._destroyed) {
        this.#end();
      }
    }
  }

  #end(): void {
    this._destroyed = true;
    this.#event.destroy();
    if (this.#id !== 0) stateOf(this.#event.scheduler).forget(this.#id);
  }
}

/** What the event loop of the simulation knows of a timer. */
class ProgramTimer implements LoopTimer {
  start = 0;
  duration = 0;
  list: TimerList | undefined = undefined;
  previous: ListedTimer | undefined = undefined;
  next: ListedTimer | undefined = undefined;

  constructor(
    readonly task: Task,
    readonly site: SourceSite,
    readonly run: () => void,
    /** Whether it alone would keep a process alive. */
    readonly hasRef: () => boolean,
  ) {}
}

/** Milliseconds as Node takes them; what it warns of, it is left to warn of. */
function durationOf(after: unknown): number {
  if (after === undefined) return 1;
  const ms = (after as number) * 1;
  if (ms >= 1 && ms <= LONGEST) return ms;
  if (!(ms >= 0 && ms < 1)) pristine.clearTimeout(pristine.setTimeout(() => {}, ms));
  return 1;
}

/**
 * The choices about a new timer: what the code before it has cost, and by how many milliseconds
 * more than asked for a stand-in's timer fires; a negative number when that is decided later.
 */
function lateness(scheduler: Scheduler, site: SourceSite, milliseconds: number): number {
  const { loop } = scheduler;
  const { task } = scheduler.current;
  spend(scheduler, loop.choose(Kind.Create, NODE, task, site, LARGEST_COST));
  if (!site.stub && !(scheduler.unmarkedStandIn && site === unknownSite)) return 0;
  scheduler.countStandInLatency();
  const due = (loop.milliseconds + Math.trunc(milliseconds)) * MILLISECOND;
  const late = loop.choose(Kind.Timer, STUBS, task, site, Infinity, due);
  return late < 0 ? late : Math.ceil(late / MILLISECOND);
}

/**
 * The choices about a real timer that is about to be started.
 * @returns the milliseconds for which to start it
 */
export function arm(event: VirtualEvent, after: unknown): number {
  const asked = durationOf(after);
  const milliseconds = asked + Math.max(0, lateness(event.scheduler, event.site, asked));
  delayLoop(event, milliseconds);
  return milliseconds;
}

/** Makes virtual timeouts instances of Node's own class. */
export function installTimeoutClass(): void {
  const real = pristine.setTimeout(() => {}, 1);
  pristine.clearTimeout(real);
  const inherited = Object.getPrototypeOf(real) as object;
  Object.setPrototypeOf(Timeout.prototype, inherited);
  Object.defineProperty(Timeout.prototype, Symbol.dispose, {
    value(this: Timeout) {
      this.stop();
    },
    writable: true,
    configurable: true,
  });
}
