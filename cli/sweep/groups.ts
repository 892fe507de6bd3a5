/**
 * Failing seeds of one bug are one finding: they are grouped by the signature of the failure.
 */

import { rungOf, strategyOf } from '../../runtime/explore/plan.js';
import type { Origin } from '../../runtime/explore/origin.js';
import type { FileSweep } from './file-sweep.js';
import type { SeenFailure } from './protocol.js';

/** All failures of one signature in one file. */
export interface Group {
  readonly file: FileSweep;
  /** As the lowest trial showed it. */
  readonly failure: SeenFailure;
  /** In the order of their trials; none when a search has put the trials together. */
  readonly seeds: readonly number[];
  /** How many trials failed so. */
  readonly trials: number;
  /** The trial that is looked at closely; see {@link choose}. */
  readonly chosen: Origin;
}

/** The groups of one file, in the order in which trials first showed them. */
export function groupFailures(file: FileSweep): Group[] {
  const trials = new Map<string, number[]>();
  for (const [trial, signatures] of file.failingTrials()) {
    for (const signature of signatures) {
      const known = trials.get(signature);
      if (known === undefined) trials.set(signature, [trial]);
      else known.push(trial);
    }
  }
  return [...trials].map(([signature, all]) => {
    const failure = file.failures.get(signature)!;
    const { schedule } = failure;
    const seeds = schedule === undefined ? all.map((trial) => file.seedOf(trial)) : [];
    const chosen = schedule === undefined ? { seed: choose(seeds) } : { schedule };
    return { file, failure, seeds, trials: all.length, chosen };
  });
}

/**
 * Of the lowest rung the first seed of the delay-bounded strategy, which has a handful of
 * deviations to begin with and is minimized to the fewest; the first seed of that rung where there
 * is none.
 */
function choose(seeds: readonly number[]): number {
  const lowest = Math.min(...seeds.map(rungOf));
  const eligible = seeds.filter((seed) => rungOf(seed) === lowest);
  return eligible.find((seed) => strategyOf(seed) === 'delay-bounded') ?? eligible[0];
}
