/**
 * Portfolio: the strategies share the trials of a file, and those that show more that is new get
 * more of them.
 *
 * New is a shape or a way of failing that no earlier trial had. Trials go in blocks; how a block is
 * shared depends on the results of the blocks before the last, which are complete by then whatever
 * the number of workers: one worker or eight run the same trials. Half of the trials are not moved,
 * since what is new to the fingerprint need not be what matters; how they are shared was measured
 * (see docs/strategies.md). Within a block the strategies take turns as evenly as their shares
 * allow.
 */

import { NODE, type Rung } from '../../kernel/rung.js';
import { rungOfTrial, seedOf } from '../plan.js';
import { SEEDED, type SeededName } from './index.js';

/** Nothing can be held on rung `node`: the strategies that hold have no part in its trials. */
const ON_NODE: readonly SeededName[] = ['random', 'delay-bounded'];

/** Trials in the first block; later ones grow, so that workers seldom wait for each other. */
const BLOCK = 100;
const GROWTH = 1 / 4;

/** So many blocks are open at a time. */
const AHEAD = 2;

/** The share of the trials that is not moved, and how it is shared. */
const FIXED_SHARE = 0.5;
const FIXED: Readonly<Record<SeededName, number>> = {
  random: 1 / 16,
  'delay-bounded': 2 / 16,
  pct: 3 / 16,
  pos: 6 / 16,
  surw: 4 / 16,
};

/** What a trial showed. */
interface Shown {
  readonly shape: number;
  readonly failures: readonly string[];
}

interface Block {
  readonly from: number;
  readonly to: number;
  /** The strategy of each trial. */
  readonly strategies: readonly SeededName[];
}

/** Says the seed of each trial of one file. */
export class Portfolio {
  private readonly blocks: Block[] = [];
  private readonly results = new Map<number, Shown>();
  private readonly seen = new Set<string | number>();
  /** Trials and new things by strategy. */
  private readonly yields = new Map<SeededName, { trials: number; fresh: number }>();
  private completeTo = 1;
  private judged = 0;

  constructor(
    private readonly base: number,
    private readonly order: Rung,
    private readonly strategy: SeededName | 'portfolio',
    private readonly rungOf = rungOfTrial,
  ) {
    if (strategy === 'portfolio') {
      for (let i = 0; i < AHEAD; i++) this.openBlock();
    }
  }

  /** The last trial whose seed is known. */
  get knownTo(): number {
    return this.strategy === 'portfolio' ? this.blocks.at(-1)!.to : Infinity;
  }

  /** The last trial of the block that a trial is in, which must be known. */
  blockEnd(trial: number): number {
    return this.blocks.find(({ to }) => trial <= to)?.to ?? Infinity;
  }

  /** The block that was complete before the one of a trial was opened: what its results say is known. */
  blockBefore(trial: number): Pick<Block, 'from' | 'to'> | undefined {
    return this.blocks[this.blocks.findIndex(({ to }) => trial <= to) - AHEAD];
  }

  /** The seed of a trial, which must be known. */
  seed(trial: number): number {
    if (trial === 1) return 0;
    const rung = this.rungOf(trial, this.order);
    return seedOf(this.base, trial, rung, this.strategyOf(trial, rung));
  }

  /** What a trial showed; in any order. */
  add(trial: number, shown: Shown): void {
    if (this.strategy !== 'portfolio' || trial === 1) return;
    this.results.set(trial, shown);
    while (this.results.has(this.completeTo + 1)) this.completeTo++;
    while (this.blocks[this.judged].to <= this.completeTo) {
      this.judge(this.blocks[this.judged++]);
      this.openBlock();
    }
  }

  private strategyOf(trial: number, rung: Rung): SeededName {
    if (this.strategy === 'portfolio') {
      const { from, strategies } = this.blocks.find(({ to }) => trial <= to)!;
      return strategies[trial - from];
    }
    return rung <= NODE && !ON_NODE.includes(this.strategy) ? 'random' : this.strategy;
  }

  private openBlock(): void {
    const from = (this.blocks.at(-1)?.to ?? 1) + 1;
    const to = from + Math.max(BLOCK, Math.floor(from * GROWTH)) - 1;
    const shares = this.shares();
    const above = new Turns(SEEDED, shares);
    const onNode = new Turns(ON_NODE, shares);
    const strategies: SeededName[] = [];
    for (let trial = from; trial <= to; trial++) {
      strategies.push((this.rungOf(trial, this.order) <= NODE ? onNode : above).next());
    }
    this.blocks.push({ from, to, strategies });
  }

  private judge({ from, to }: Block): void {
    for (let trial = from; trial <= to; trial++) {
      const { shape, failures } = this.results.get(trial)!;
      this.results.delete(trial);
      const fresh = [shape, ...failures].filter((one) => !this.seen.has(one));
      for (const one of fresh) this.seen.add(one);
      const rung = this.rungOf(trial, this.order);
      if (rung <= NODE) continue;
      const name = this.strategyOf(trial, rung);
      const known = this.yields.get(name) ?? { trials: 0, fresh: 0 };
      this.yields.set(name, {
        trials: known.trials + 1,
        fresh: known.fresh + (fresh.length > 0 ? 1 : 0),
      });
    }
  }

  /** A part is fixed, the rest goes by how often a strategy shows what is new. */
  private shares(): Readonly<Record<SeededName, number>> {
    if (this.yields.size === 0) return FIXED;
    const rates = SEEDED.map((name) => {
      const { trials, fresh } = this.yields.get(name) ?? { trials: 0, fresh: 0 };
      return (fresh + 1) / (trials + 2);
    });
    const sum = rates.reduce((a, b) => a + b, 0);
    const shares = { ...FIXED };
    for (const [i, name] of SEEDED.entries()) {
      shares[name] = FIXED_SHARE * FIXED[name] + ((1 - FIXED_SHARE) * rates[i]) / sum;
    }
    return shares;
  }
}

/** Lets names take turns: each as often as its share says, and as evenly as that allows. */
class Turns {
  private readonly credit: number[];
  private readonly total: number;

  constructor(
    private readonly names: readonly SeededName[],
    private readonly shares: Readonly<Record<SeededName, number>>,
  ) {
    this.credit = names.map(() => 0);
    this.total = names.reduce((sum, name) => sum + shares[name], 0);
  }

  next(): SeededName {
    let best = 0;
    for (const [i, name] of this.names.entries()) {
      this.credit[i] += this.shares[name] / this.total;
      if (this.credit[i] > this.credit[best]) best = i;
    }
    this.credit[best]--;
    return this.names[best];
  }
}
