/**
 * The calls in which a simulation runs: what is set up around them, what happens after each event,
 * and what ends them.
 */

import { endsHost } from '../hosts/process.js';
import { drain, canDrain } from '../node/drain.js';
import { microtasks, watchMicrotasks } from '../node/microtasks.js';
import { pristine, subscribe } from '../node/pristine.js';
import { guardRejections, rejections } from '../node/rejections.js';
import { DeadlockError } from '../errors.js';
import { blockedTasks, foregroundWaiting } from '../tasks/blocked.js';
import { active, type Scheduler } from '../tasks/scheduler.js';
import { SimulationPoint, StepBudgetError, type Point } from './errors.js';

/** The simulation that runs now, of those that are made by hand. */
let running: Run | undefined;

/** The virtual builtins come with the first run: loading them takes a moment. */
let prepare = (): void => {
  const { install } = require('../node/install.js') as typeof import('../node/install.js');
  install();
  guardRejections();
  prepare = () => {};
};

export class Run {
  /** Checks the invariants. */
  checks: (() => void) | undefined = undefined;

  /** What ends the run that is under way, once the event is over. */
  private failure: { readonly error: unknown } | undefined = undefined;
  /** The step budget is spent: there is no running on. */
  private spent: StepBudgetError | undefined = undefined;
  /** The run goes on until nothing is pending. */
  private toTheEnd = false;
  /** What ends the run when it holds. */
  private condition: (() => boolean) | undefined = undefined;
  /** The simulation uses promises: every event is followed by a drain. */
  private drains = false;
  private unwatch: (() => void) | undefined = undefined;

  /** Set when it is made, right after this. */
  scheduler!: Scheduler;

  constructor(private readonly point: () => Point) {}

  /**
   * Runs what is due at `horizon` or before, and moves the clock to it unless it is infinite.
   * @param call the name of the call, for errors
   * @returns how many events ran
   */
  until(horizon: number, call: string): number {
    const { loop } = this.scheduler;
    const before = loop.steps;
    this.run(horizon, call);
    if (horizon !== Infinity) loop.advanceTo(horizon);
    return loop.steps - before;
  }

  /** Runs until `condition` holds. Returns false when `deadline` comes first. */
  untilTrue(condition: () => boolean, deadline: number): boolean {
    if (condition()) return true;
    let holds = false;
    this.condition = () => (holds = condition());
    try {
      this.run(deadline, 'eventually');
    } finally {
      this.condition = undefined;
    }
    if (!holds) this.scheduler.loop.advanceTo(deadline);
    return holds;
  }

  /** Runs until `main` has settled, as a test runner does: what is pending then is left. */
  untilSettled(main: () => Promise<unknown>): void {
    const settled = (): void => {
      this.toTheEnd = false;
      this.scheduler.loop.stop();
    };
    const failed = (error: unknown): void => {
      this.failure ??= { error };
      settled();
    };
    this.scheduler.loop.after(0, () => subscribe(main(), settled, failed));
    this.run(Infinity, 'run');
  }

  /** Whether code of the simulation is running. */
  get active(): boolean {
    return running === this;
  }

  /** Ends the run with what a callback threw. */
  fail(error: unknown): void {
    if (error instanceof Error && error.cause === undefined && Object.isExtensible(error)) {
      const value = new SimulationPoint(this.point());
      Object.defineProperty(error, 'cause', { value, configurable: true, writable: true });
    }
    this.failAs(error);
  }

  /** Ends the run with an error that says itself where it happened. */
  failAs(error: unknown): void {
    if (error instanceof StepBudgetError) this.spent = error;
    this.failure ??= { error };
    this.scheduler.loop.stop();
  }

  /** What the event loop does at the beginning of a run and after every event. */
  afterEvent(): void {
    if (this.drains || microtasks.pending) this.drainMicrotasks();
    // What is called next belongs to no task.
    const { scheduler } = this;
    scheduler.current = scheduler.base = scheduler.scope;
    scheduler.alone = true;
    if (this.failure !== undefined) return;
    this.checks?.();
    if (this.condition !== undefined) this.checkCondition(this.condition);
    if (this.toTheEnd && scheduler.loop.onlyBackground && !foregroundWaiting(scheduler)) {
      scheduler.loop.stop();
    }
  }

  private run(horizon: number, call: string): void {
    if (running !== undefined) throw new Error(nested(call, running === this));
    if (this.spent !== undefined) throw this.spent;
    if (this.drains && !canDrain()) throw new Error(inContinuation(call));
    prepare();
    const { scheduler } = this;
    const outer = { scheduler: active.scheduler, take: rejections.take };
    running = this;
    active.scheduler = scheduler;
    this.toTheEnd = horizon === Infinity;
    rejections.take = (reason) => void (endsHost(scheduler, reason) || this.fail(reason));
    if (!this.drains) this.unwatch = watchMicrotasks();
    // What was queued before the run is left to it.
    if (!this.drains) drain();
    microtasks.pending = false;
    try {
      scheduler.loop.run(horizon);
      if (this.toTheEnd) this.checkDeadlock();
    } finally {
      running = undefined;
      active.scheduler = outer.scheduler;
      rejections.take = outer.take;
      this.stopWatching();
    }
    this.throwFailure();
  }

  /** Nothing is pending any more: whoever waits now waits for ever. */
  private checkDeadlock(): void {
    const { scheduler } = this;
    if (this.failure !== undefined || scheduler.loop.pending) return;
    if (foregroundWaiting(scheduler)) this.fail(new DeadlockError(blockedTasks(scheduler)));
  }

  private throwFailure(): void {
    const { failure } = this;
    if (failure === undefined) return;
    this.failure = undefined;
    throw failure.error;
  }

  private drainMicrotasks(): void {
    if (!this.drains) {
      if (!canDrain()) {
        microtasks.pending = false;
        return this.failAs(new Error(inContinuation('run')));
      }
      this.useDrain();
    }
    drain();
  }

  private useDrain(): void {
    this.drains = true;
    this.stopWatching();
  }

  private stopWatching(): void {
    this.unwatch?.();
    this.unwatch = undefined;
  }

  private checkCondition(condition: () => boolean): void {
    try {
      if (condition()) this.scheduler.loop.stop();
    } catch (error) {
      this.fail(error);
    }
  }
}

/** Calls `run` from a macrotask of its own: of the simulation around this one, or of Node. */
export function runAsync(run: () => number): Promise<number> {
  return new pristine.Promise((resolve, reject) => {
    const settle = (): void => {
      try {
        resolve(run());
      } catch (error) {
        reject(error as Error);
      }
    };
    const { scheduler } = active;
    if (scheduler === undefined) pristine.setImmediate(settle);
    else scheduler.loop.immediate(settle);
  });
}

function nested(call: string, same: boolean): string {
  return same
    ? `sim.${call}: this simulation is running already, and this call comes from inside it. ` +
        'Use sim.after to have something happen later.'
    : `sim.${call}: another simulation is running, and this call comes from inside it. ` +
        'Run one after the other.';
}

function inContinuation(call: string): string {
  return (
    `sim.${call}: called from an async continuation (after an await, or in a promise's ` +
    'reaction), where the promises of the simulation cannot be run to their end: ' +
    'use `await sim.runAsync()`.'
  );
}
