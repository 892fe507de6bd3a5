/**
 * Runs a function inside a hand-made simulation, from start to end, synchronously.
 */

import { EventLoop } from '../../runtime/kernel/event-loop.js';
import { noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { NATIVE, type Rung } from '../../runtime/kernel/rung.js';
import { drain } from '../../runtime/node/drain.js';
import { install } from '../../runtime/node/install.js';
import { active, Scheduler } from '../../runtime/tasks/scheduler.js';

install();

export interface Simulated {
  readonly scheduler: Scheduler;
  readonly log: unknown[];
  /** What event callbacks, nextTicks and microtasks have thrown. */
  readonly errors: unknown[];
}

export interface SimulateOptions {
  strategy?: Strategy;
  rung?: Rung;
  maxSteps?: number;
}

/**
 * @param main gets a `log` function
 * @returns what was logged and thrown by the time nothing was left to run
 */
export function simulate(
  main: (log: (...values: unknown[]) => void, scheduler: Scheduler) => unknown,
  options: SimulateOptions = {},
): Simulated {
  const log: unknown[] = [];
  const errors: unknown[] = [];
  const loop = new EventLoop({
    drain,
    onError: (error) => void errors.push(error),
    onIdle: () => false,
    onBudget: () => loop.stop(),
    maxSteps: options.maxSteps ?? 10_000,
    maxStall: 0,
  });
  const scheduler = new Scheduler(loop);
  const { rung = NATIVE, strategy = noDeviation } = options;
  scheduler.beginScope({ title: 'test', rung, strategy });
  active.scheduler = scheduler;
  try {
    const result = main((...values) => void log.push(...values), scheduler);
    if (result instanceof Promise) result.catch((error: unknown) => void errors.push(error));
    loop.run();
  } finally {
    scheduler.end();
    active.scheduler = undefined;
  }
  return { scheduler, log, errors };
}
