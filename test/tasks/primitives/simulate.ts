/**
 * Runs a scenario written by hand in a simulation of its own, and says what became of it.
 */

import { noDeviation, type Decision, type Strategy } from '../../../runtime/kernel/choice.js';
import { EventLoop } from '../../../runtime/kernel/event-loop.js';
import { ANY } from '../../../runtime/kernel/rung.js';
import { DeadlockError, LivelockError } from '../../../runtime/errors.js';
import { interleave } from '../../../runtime/explore/interleave.js';
import { drain } from '../../../runtime/node/drain.js';
import { blockedTasks, foregroundWaiting } from '../../../runtime/tasks/blocked.js';
import { active, Scheduler } from '../../../runtime/tasks/scheduler.js';

export interface Run {
  /** What it came to. */
  readonly error: unknown;
  /** Virtual nanoseconds at the end. */
  readonly now: number;
  readonly steps: number;
  readonly choices: number;
  readonly digest: number;
  readonly shape: number;
  readonly decisions: readonly Decision[];
}

export interface Options {
  readonly strategy?: Strategy;
  readonly maxSteps?: number;
}

/** Runs `main` as the root task; call it from a plain macrotask. */
export function simulate(main: () => unknown, options: Options = {}): Run {
  const decisions: Decision[] = [];
  let error: unknown;
  const fail = (thrown: unknown): void => {
    error ??= thrown;
    loop.stop();
  };
  const loop = new EventLoop({
    drain,
    onError: fail,
    onIdle: () => false,
    onBudget: () => fail(new LivelockError(loop.steps, loop.now)),
    maxSteps: options.maxSteps ?? 100_000,
    maxStall: 0,
    turnsTakeTime: false,
  });
  const scheduler = new Scheduler(loop);
  loop.recorder = { choice: (decision) => void decisions.push(decision) };
  scheduler.beginScope({ title: 'test', rung: ANY, strategy: options.strategy ?? noDeviation });
  active.scheduler = scheduler;
  try {
    Promise.resolve(main()).catch(fail);
    loop.run();
    if (error === undefined && foregroundWaiting(scheduler)) {
      error = new DeadlockError(blockedTasks(scheduler));
    }
  } finally {
    scheduler.ended = true;
    active.scheduler = undefined;
  }
  const { now, steps, choices, digest } = loop;
  return { error, now, steps, choices, digest, shape: scheduler.operations.shape, decisions };
}

/** The same with the choices of a seed. */
export function simulateSeed(seed: number, main: () => unknown): Run {
  return simulate(main, { strategy: interleave(seed) });
}

/** Runs the body of a test in a macrotask: nothing can be drained inside a promise job. */
export function inMacrotask(body: () => void): () => Promise<void> {
  return () =>
    new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          body();
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
    });
}
