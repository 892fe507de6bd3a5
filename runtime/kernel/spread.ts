/**
 * How latencies spread between the least and the most.
 */

import { checkNames, checkTime, shown } from './arguments.js';
import type { Spread } from './choice.js';

/**
 * How latencies spread between the least and the most: evenly; mostly short (exponential); mostly
 * very short with a few long ones (bounded Pareto, shape 1), as in wide-area networks.
 */
export type Distribution = 'uniform' | 'exponential' | 'pareto';

export interface DelayRange {
  /** The least, in nanoseconds. */
  readonly min: number;
  /** The most, in nanoseconds; it can occur. */
  readonly max: number;
  /** Default `uniform`. */
  readonly distribution?: Distribution;
}

/** How much longer than the least something takes, at each fraction of all cases. */
export function spreadOf(call: string, what: string, range: DelayRange): Spread {
  checkNames(`${call}: ${what}`, range, ['min', 'max', 'distribution']);
  const { min, max, distribution = 'uniform' } = range;
  checkTime(call, `${what}.min`, min);
  checkTime(call, `${what}.max`, max);
  if (max < min) {
    throw new RangeError(`${call}: ${what}.max (${max} ns) is less than ${what}.min (${min} ns).`);
  }
  const width = max - min;
  switch (distribution) {
    case 'uniform':
      return (fraction) => Math.floor(fraction * (width + 1));
    case 'exponential':
      return (fraction) => Math.floor(exponential(fraction) * (width + 1));
    case 'pareto':
      return (fraction) => Math.floor(pareto(fraction) * (width + 1));
    default:
      throw new TypeError(
        `${call}: ${what}.distribution must be uniform, exponential or pareto, but it is ` +
          `${shown(distribution)}.`,
      );
  }
}

/** The range is so many times the mean of an exponential distribution that is cut at its end. */
const MEANS = 5;
const CUT = 1 - Math.exp(-MEANS);

function exponential(fraction: number): number {
  return -Math.log(1 - fraction * CUT) / MEANS;
}

/** The quantiles of a Pareto distribution of shape 1 between 1 and 1 + TAIL, scaled to [0, 1). */
const TAIL = 99;

function pareto(fraction: number): number {
  return fraction / (1 + TAIL * (1 - fraction));
}
