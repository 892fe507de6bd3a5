/**
 * Portfolio: the strategies share the trials of a file, and those that show more that is new get
 * more of them.
 *
 * New is a shape or a way of failing that no earlier trial had. Trials go in blocks; how a block is
 * shared depends on the results of the blocks before the last, which are complete by then whatever
 * the number of workers, and is drawn from the number of the trial: one worker or eight run the
 * same trials. Each strategy keeps a least share, since what is new to the fingerprint need not be
 * what matters.
 */

import { fraction, hashSeed, mix } from '../../kernel/hash.js';
import { NODE, type Rung } from '../../kernel/rung.js';
import { rungOfTrial, seedOf } from '../plan.js';
import { SEEDED, type SeededName } from './index.js';

/** Nothing can be held on rung `node`: the strategies that hold have no part in its trials. */
const ON_NODE: readonly SeededName[] = ['random', 'delay-bounded'];

/** Trials in the first block; later ones grow, so that workers seldom wait for each other. */
const BLOCK = 100;
const GROWTH = 1 / 4;

/** The share of the trials that is not moved. */
const FIXED_SHARE = 0.5;

/** What a trial showed. */
interface Shown {
  readonly shape: number;
  readonly failures: readonly string[];
}

interface Block {
  readonly from: number;
  readonly to: number;
  readonly shares: ReadonlyMap<SeededName, number>;
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
  ) {
    if (strategy === 'portfolio') {
      this.openBlock();
      this.openBlock();
    }
  }

  /** The last trial whose seed is known. */
  get knownTo(): number {
    return this.strategy === 'portfolio' ? this.blocks.at(-1)!.to : Infinity;
  }

  /** The seed of a trial, which must be known. */
  seed(trial: number): number {
    if (trial === 1) return 0;
    const rung = rungOfTrial(trial, this.order);
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
    const eligible = rung <= NODE ? ON_NODE : SEEDED;
    if (this.strategy !== 'portfolio') {
      return eligible.includes(this.strategy) ? this.strategy : 'random';
    }
    const { shares } = this.blocks.find(({ to }) => trial <= to)!;
    const total = eligible.reduce((sum, name) => sum + shares.get(name)!, 0);
    let at = total * fraction(mix(mix(hashSeed(this.base), 0x9f011), trial));
    for (const name of eligible) if ((at -= shares.get(name)!) < 0) return name;
    return eligible[0];
  }

  private openBlock(): void {
    const from = (this.blocks.at(-1)?.to ?? 1) + 1;
    const to = from + Math.max(BLOCK, Math.floor(from * GROWTH)) - 1;
    this.blocks.push({ from, to, shares: this.shares() });
  }

  private judge({ from, to }: Block): void {
    for (let trial = from; trial <= to; trial++) {
      const { shape, failures } = this.results.get(trial)!;
      this.results.delete(trial);
      const fresh = [shape, ...failures].filter((one) => !this.seen.has(one));
      for (const one of fresh) this.seen.add(one);
      const rung = rungOfTrial(trial, this.order);
      if (rung <= NODE) continue;
      const name = this.strategyOf(trial, rung);
      const known = this.yields.get(name) ?? { trials: 0, fresh: 0 };
      this.yields.set(name, {
        trials: known.trials + 1,
        fresh: known.fresh + (fresh.length > 0 ? 1 : 0),
      });
    }
  }

  /** A part is shared evenly, the rest in proportion to how often a strategy shows what is new. */
  private shares(): Map<SeededName, number> {
    const rates = SEEDED.map((name) => {
      const { trials, fresh } = this.yields.get(name) ?? { trials: 0, fresh: 0 };
      return (fresh + 1) / (trials + 2);
    });
    const sum = rates.reduce((a, b) => a + b, 0);
    return new Map(
      SEEDED.map((name, i) => [
        name,
        FIXED_SHARE / SEEDED.length + ((1 - FIXED_SHARE) * rates[i]) / sum,
      ]),
    );
  }
}
