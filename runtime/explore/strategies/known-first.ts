/**
 * Seeds that failed in an earlier sweep come first, right after plain Node; then the trials of a
 * portfolio, which are the same with them as without.
 */

import type { Portfolio } from './portfolio.js';

/** Says the seed of each trial of one file. */
export type TrialSeeds = Pick<Portfolio, 'knownTo' | 'blockEnd' | 'blockBefore' | 'seed' | 'add'>;

export class KnownFirst implements TrialSeeds {
  constructor(
    private readonly known: readonly number[],
    private readonly portfolio: TrialSeeds,
  ) {}

  get knownTo(): number {
    return this.portfolio.knownTo + this.known.length;
  }

  blockEnd(trial: number): number {
    return this.portfolio.blockEnd(Math.max(1, trial - this.known.length)) + this.known.length;
  }

  blockBefore(trial: number): ReturnType<Portfolio['blockBefore']> {
    const { length } = this.known;
    const block = this.portfolio.blockBefore(Math.max(1, trial - length));
    return block && { from: block.from + length, to: block.to + length };
  }

  seed(trial: number): number {
    if (trial === 1) return this.portfolio.seed(1);
    return this.known[trial - 2] ?? this.portfolio.seed(trial - this.known.length);
  }

  add(trial: number, shown: Parameters<Portfolio['add']>[1]): void {
    if (trial > this.known.length + 1) this.portfolio.add(trial - this.known.length, shown);
  }
}
