/**
 * Timers, immediates and dates for the test runner itself.
 *
 * Inside a simulation they are harness events: never a choice, never marked, never in the trace,
 * and a timer is put off by all delay that the scheduler injects meanwhile. Outside they are the
 * real ones. What the runner does belongs to the frame of its scope, in the async context of
 * whoever asked for it, as with real timers.
 */

import { AsyncResource } from 'node:async_hooks';
import { MILLISECOND } from '../kernel/sim.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { EPOCH } from './clock.js';
import { pristine, runInContext } from './pristine.js';
import { simulated } from './simulated.js';

const RealDate = pristine.Date;

type Callback = (...args: any[]) => void;

/** A pending event of the runner's. */
class HarnessEvent {
  constructor(private readonly cancel: () => void) {}

  stop(): void {
    this.cancel();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Runs `callback` as the runner, in the async context of now. */
function asRunner(scheduler: Scheduler, callback: () => void): () => void {
  const resource = new AsyncResource('Harness', { requireManualDestroy: true });
  return () => {
    scheduler.base = scheduler.current = scheduler.scope;
    scheduler.clearMarks();
    runInContext(resource, callback);
  };
}

function startTimer(callback: Callback, after = 0, ...args: unknown[]): unknown {
  const scheduler = simulated();
  if (scheduler === undefined) return pristine.setTimeout(callback, after, ...args);
  const { sim } = scheduler;
  const delay = Math.max(1, Math.trunc(after)) * MILLISECOND;
  const timer = sim.startHarnessTimer(
    delay,
    asRunner(scheduler, () => callback(...args)),
  );
  return new HarnessEvent(() => sim.stopHarnessTimer(timer));
}

function startImmediate(callback: Callback, ...args: unknown[]): unknown {
  const scheduler = simulated();
  if (scheduler === undefined) return pristine.setImmediate(callback, ...args);
  const { sim } = scheduler;
  const event = sim.immediate(asRunner(scheduler, () => callback(...args)));
  return new HarnessEvent(() => sim.cancelImmediate(event));
}

function now(): number {
  const scheduler = simulated();
  if (scheduler === undefined) return RealDate.now();
  return EPOCH + Math.floor(scheduler.sim.now / MILLISECOND);
}

/** The runner's clock; reading it never moves it. */
class HarnessDate extends RealDate {
  constructor(...args: [] | [number]) {
    super(...((args.length === 0 ? [now()] : args) as [number]));
  }

  static override now = now;
}

export const harness = {
  setTimeout: startTimer as typeof setTimeout,
  clearTimeout(timer: unknown): void {
    if (timer instanceof HarnessEvent) timer.stop();
    else pristine.clearTimeout(timer as NodeJS.Timeout | undefined);
  },
  setImmediate: startImmediate as typeof setImmediate,
  clearImmediate(immediate: unknown): void {
    if (immediate instanceof HarnessEvent) immediate.stop();
    else pristine.clearImmediate(immediate as NodeJS.Immediate | undefined);
  },
  Date: HarnessDate as unknown as DateConstructor,
};
