/**
 * Failing seeds of one bug are one finding: they are grouped by the signature of the failure.
 */

import { rungOf } from '../../runtime/explore/plan.js';
import type { FileSweep } from './file-sweep.js';
import type { SeenFailure } from './protocol.js';

/** All failures of one signature in one file. */
export interface Group {
  readonly file: FileSweep;
  /** As the lowest trial showed it. */
  readonly failure: SeenFailure;
  /** In the order of their trials. */
  readonly seeds: readonly number[];
  /** The seed that is looked at closely: of the lowest rung, the lowest trial. */
  readonly chosen: number;
}

/** The groups of one file, in the order in which trials first showed them. */
export function groupFailures(file: FileSweep): Group[] {
  const seeds = new Map<string, number[]>();
  for (const [trial, signatures] of file.failingTrials()) {
    for (const signature of signatures) {
      const known = seeds.get(signature);
      const seed = file.seedOf(trial);
      if (known === undefined) seeds.set(signature, [seed]);
      else known.push(seed);
    }
  }
  return [...seeds].map(([signature, all]) => ({
    file,
    failure: file.failures.get(signature)!,
    seeds: all,
    chosen: all.reduce((best, seed) => (rungOf(seed) < rungOf(best) ? seed : best)),
  }));
}
