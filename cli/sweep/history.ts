/**
 * How the sweep of a file went, trial by trial, in as few numbers as a plot needs.
 */

import { rungOf, strategyOf } from '../../runtime/explore/plan.js';
import { NATIVE } from '../../runtime/kernel/rung.js';
import type { FileSweep, ShownTrial } from './file-sweep.js';

export interface History {
  /** After this trial so many distinct orders of events had been seen. */
  readonly growth: readonly (readonly [trial: number, orders: number])[];
  /** Trials of each strategy, and how many of them failed. */
  readonly strategies: readonly StrategyHistory[];
  /** Wall-clock time of the trials up to this one, from the one before: the median, the longest. */
  readonly times: readonly (readonly [trial: number, medianMs: number, longestMs: number])[];
}

export interface StrategyHistory {
  readonly name: string;
  readonly trials: number;
  readonly failed: number;
}

/** How many points a plot has at most. */
const POINTS = 120;

export function historyOf(file: FileSweep): History {
  const shown = file.shown();
  const size = Math.max(1, Math.ceil(shown.length / POINTS));
  const growth: [number, number][] = [];
  const times: [number, number, number][] = [];
  const seen = new Set<number>();
  for (let from = 0; from < shown.length; from += size) {
    const part = shown.slice(from, from + size);
    const { trial } = part.at(-1)!;
    for (const { shape } of part) seen.add(shape);
    growth.push([trial, seen.size]);
    const sorted = part.map(({ ms }) => ms).sort((a, b) => a - b);
    times.push([trial, rounded(sorted[sorted.length >> 1]), rounded(sorted.at(-1)!)]);
  }
  return { growth, strategies: strategies(file, shown), times };
}

function strategies(file: FileSweep, shown: readonly ShownTrial[]): StrategyHistory[] {
  const counts = new Map<string, { trials: number; failed: number }>();
  for (const { trial, failed } of shown) {
    const name = strategyName(file, trial);
    const count = counts.get(name) ?? { trials: 0, failed: 0 };
    counts.set(name, { trials: count.trials + 1, failed: count.failed + Number(failed) });
  }
  return [...counts].map(([name, count]) => ({ name, ...count }));
}

function strategyName(file: FileSweep, trial: number): string {
  if (trial === 1) return 'plain Node';
  if (file.search !== undefined) return file.search;
  const seed = file.seedOf(trial);
  return rungOf(seed) === NATIVE ? 'plain Node' : strategyOf(seed);
}

function rounded(ms: number): number {
  return Number(ms.toPrecision(3));
}
