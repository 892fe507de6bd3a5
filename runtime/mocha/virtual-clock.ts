/**
 * Makes mocha go by the clock of a simulation.
 *
 * Mocha may have been loaded before detsim, and has captured the real timers and Date then, so its
 * few uses of them are replaced on its classes: how long a runnable took, its timeout, the turn of
 * the event loop between two runnables, and random ids. While no trial runs all is mocha's own.
 *
 * The runner's clock stands still for delay that the scheduler injects: a timeout is due at start +
 * timeout + all delay injected since, and a test is too slow only by itself.
 */

import type { EventLoop } from '../kernel/event-loop.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { harness } from '../node/harness.js';
import type { MochaClass, Runnable } from './mocha-package.js';

/** What a trial lends to mocha while it runs. */
export interface TrialClock {
  readonly loop: EventLoop;
  /** A test or hook is about to run. */
  enter(runnable: Runnable): void;
}

let trial: TrialClock | undefined;

/** Begins or ends a trial. */
export function setTrialClock(clock: TrialClock | undefined): void {
  trial = clock;
}

type Timer = ReturnType<EventLoop['startHarnessTimer']>;

/** The longest timeout that Node's timers know; mocha's own word for "none". */
const NO_TIMEOUT = 2 ** 31 - 1;

const STARTED = Symbol('detsim started');
const INJECTED = Symbol('detsim injected before');
const DURATION = Symbol('detsim duration');

interface Timed extends Runnable {
  [STARTED]: number;
  [INJECTED]: number;
  [DURATION]?: number;
}

const known = new WeakSet<MochaClass>();

/** Prepares a mocha; does nothing the second time. */
export function installVirtualClock(mocha: MochaClass): void {
  if (known.has(mocha)) return;
  known.add(mocha);
  virtualRunner(mocha);
  virtualTimeouts(mocha.Runnable.prototype);
  virtualDurations(mocha.Runnable.prototype);
}

function virtualRunner({ Runner, utils }: MochaClass): void {
  Runner.immediately = harness.setImmediate;
  const { uniqueID } = utils;
  let ids = 0;
  utils.uniqueID = () => (trial === undefined ? uniqueID() : `trial-${++ids}`);
}

function virtualTimeouts(prototype: Runnable): void {
  const { clearTimeout, resetTimeout } = prototype;
  prototype.clearTimeout = function (this: Runnable) {
    if (trial === undefined) clearTimeout.call(this);
    else if (this.timer !== undefined) trial.loop.stopHarnessTimer(this.timer as Timer);
  };
  prototype.resetTimeout = function (this: Timed) {
    if (trial === undefined) return resetTimeout.call(this);
    const ms = this.timeout() || NO_TIMEOUT;
    this.clearTimeout();
    const expire = (): void => {
      if (this.timeout() === 0) return;
      this.callback!(this._timeoutError(ms));
      this.timedOut = true;
    };
    // Mocha starts the timer of an asynchronous test when its synchronous part has run.
    const before = this[INJECTED];
    this.timer = trial.loop.startHarnessTimer(ms * MILLISECOND, expire, before);
  };
}

/** Mocha assigns `duration` when a runnable ends, and compares it with the timeout right after. */
function virtualDurations(prototype: Runnable): void {
  const { run } = prototype;
  prototype.run = function (this: Timed, done) {
    if (trial !== undefined) {
      trial.enter(this);
      this[STARTED] = runnerTime(trial.loop);
      this[INJECTED] = trial.loop.injected;
    }
    run.call(this, done);
  };
  Object.defineProperty(prototype, 'duration', {
    configurable: true,
    get(this: Timed) {
      return this[DURATION];
    },
    set(this: Timed, ms: number) {
      const elapsed = (): number => (runnerTime(trial!.loop) - this[STARTED]) / MILLISECOND;
      this[DURATION] = trial === undefined ? ms : Math.max(0, Math.floor(elapsed()));
    },
  });
}

function runnerTime(loop: EventLoop): number {
  return loop.now - loop.injected;
}
