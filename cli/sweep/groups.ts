/**
 * Failing seeds of one bug are one finding: they are grouped by the signature of the failure.
 */

import { rungOf, strategyOf } from '../../runtime/explore/plan.js';
import type { Origin } from '../../runtime/explore/origin.js';
import type { FileSweep } from './file-sweep.js';
import type { SeenFailure } from './protocol.js';

/** How many more seeds are minimized where the first leaves many deviations. */
const OTHERS = 2;

/** All failures of one signature in one file. */
export interface Group {
  readonly file: FileSweep;
  /** As the lowest trial showed it. */
  readonly failure: SeenFailure;
  /** In the order of their trials; none when a search has put the trials together. */
  readonly seeds: readonly number[];
  /** How many trials failed so. */
  readonly trials: number;
  /** The trial that is looked at closely; see {@link bySimplicity}. */
  readonly chosen: Origin;
  /** Seeds to minimize as well where that of the chosen trial leaves many deviations. */
  readonly others: readonly number[];
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
    const [first, ...rest] = bySimplicity(seeds);
    const chosen = schedule === undefined ? { seed: first } : { schedule };
    return { file, failure, seeds, trials: all.length, chosen, others: rest.slice(0, OTHERS) };
  });
}

/**
 * The seeds of the lowest rung, those of the delay-bounded strategy first: it has a handful of
 * deviations to begin with and is minimized to the fewest.
 */
function bySimplicity(seeds: readonly number[]): number[] {
  const lowest = seeds.reduce((least, seed) => Math.min(least, rungOf(seed)), Infinity);
  const eligible = [...new Set(seeds)].filter((seed) => rungOf(seed) === lowest);
  const isBounded = (seed: number): boolean => strategyOf(seed) === 'delay-bounded';
  return [...eligible.filter(isBounded), ...eligible.filter((seed) => !isBounded(seed))];
}
