/**
 * Runs a scenario written by hand in a simulation of its own, and says what became of it.
 */

import { expect } from 'chai';
import { Sim } from '../../../index.js';
import type { Decision } from '../../../runtime/kernel/choice.js';

export interface Run {
  /** What ended the run. */
  readonly error: unknown;
  /** Virtual nanoseconds at the end. */
  readonly now: number;
  readonly steps: number;
  readonly choices: number;
  readonly digest: number;
  readonly shape: number;
  readonly decisions: readonly Decision[];
}

/** Runs `main`, with seed 0 unless another is given; call it from a plain macrotask. */
export function simulate(main: () => unknown, seed = 0, maxSteps = 100_000): Run {
  const sim = new Sim({ seed, maxSteps });
  const { loop, scheduler } = sim;
  const decisions: Decision[] = [];
  loop.recorder = { choice: (decision) => void decisions.push(decision) };
  let error: unknown;
  sim.immediately(() => void main());
  try {
    sim.run();
  } catch (thrown) {
    error = thrown;
  }
  const { now, steps, choices, digest } = loop;
  return { error, now, steps, choices, digest, shape: scheduler.operations.shape, decisions };
}

/** The same, and fails when it does. */
export function succeed(main: () => unknown, seed = 0): Run {
  const run = simulate(main, seed);
  if (run.error !== undefined) throw run.error;
  return run;
}

/** How many of so many seeds, from 1 on, make `main` end in what `found` looks for. */
export function seedsThat(
  found: (run: Run) => boolean,
  seeds: number,
  main: () => unknown,
): number {
  let count = 0;
  for (let seed = 1; seed <= seeds; seed++) if (found(simulate(main, seed))) count++;
  return count;
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

/** Expects a promise to be rejected with an error of the type. */
export async function rejected(
  promise: Promise<unknown>,
  type: abstract new (...args: never[]) => Error,
): Promise<void> {
  let error: unknown;
  await promise.catch((thrown: unknown) => (error = thrown));
  expect(error).to.be.instanceOf(type);
}
