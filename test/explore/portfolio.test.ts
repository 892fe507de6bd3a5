/** The portfolio moves its trials to what shows more, and runs the same whoever is first. */

import { expect } from 'chai';
import { hashSeed } from '../../runtime/kernel/hash.js';
import { ANY, NODE } from '../../runtime/kernel/rung.js';
import { rungOf, strategyOf } from '../../runtime/explore/plan.js';
import { SEEDED } from '../../runtime/explore/strategies/index.js';
import { Portfolio } from '../../runtime/explore/strategies/portfolio.js';

const TRIALS = 2000;

/** What a trial shows: something new under `pct`, the same again under all others. */
const shown = (seed: number) => ({
  shape: strategyOf(seed) === 'pct' ? seed : 1,
  failures: [],
});

/** Runs a sweep with a number of workers whose results come in another order than was asked. */
function sweep(workers: number): number[] {
  const portfolio = new Portfolio(5, ANY, 'portfolio');
  const seeds: number[] = [0];
  let next = 2;
  while (next <= TRIALS) {
    const batch: number[] = [];
    while (batch.length < workers && next <= Math.min(TRIALS, portfolio.knownTo)) {
      batch.push(next++);
    }
    batch.sort((a, b) => hashSeed(a) - hashSeed(b));
    for (const trial of batch) {
      seeds[trial - 1] = portfolio.seed(trial);
      portfolio.add(trial, shown(seeds[trial - 1]));
    }
  }
  return seeds;
}

describe('portfolio', () => {
  it('knows of a block before a trial that it was complete when the trial became known', () => {
    const portfolio = new Portfolio(5, ANY, 'portfolio');
    let opened = 0;
    for (let trial = 2; trial <= TRIALS; trial++) {
      for (; opened < portfolio.knownTo; opened++) {
        const before = portfolio.blockBefore(opened + 1);
        expect(before?.to ?? 1).to.be.below(trial);
        expect(before === undefined).to.equal(opened + 1 <= 201);
      }
      portfolio.add(trial, { shape: 1, failures: [] });
    }
  });

  it('runs the same trials with one worker as with eight, or sixty', () => {
    expect(sweep(8)).to.deep.equal(sweep(1));
    expect(sweep(60)).to.deep.equal(sweep(1));
  });

  it('begins with all strategies, and moves towards the one that shows more', () => {
    const seeds = sweep(1);
    const share = (from: number, to: number): number => {
      const above = seeds.slice(from, to).filter((seed) => rungOf(seed) > NODE);
      return above.filter((seed) => strategyOf(seed) === 'pct').length / above.length;
    };
    const first = new Set(seeds.slice(1, 30).map(strategyOf));
    expect([...first].sort()).to.deep.equal([...SEEDED].sort());
    expect(share(1, 200)).to.be.within(0.15, 0.22);
    expect(share(1000, TRIALS)).to.be.above(0.4);
  });

  it('holds nothing on rung node, where nothing can be held', () => {
    const names = sweep(1)
      .filter((seed) => rungOf(seed) === NODE)
      .map(strategyOf);
    expect(new Set(names)).to.deep.equal(new Set(['random', 'delay-bounded']));
    expect(strategyOf(new Portfolio(5, ANY, 'pct').seed(2))).to.equal('random');
  });

  it('gives every trial one strategy where that is asked for', () => {
    const portfolio = new Portfolio(5, ANY, 'pos');
    expect(portfolio.knownTo).to.equal(Infinity);
    expect(strategyOf(portfolio.seed(3))).to.equal('pos');
  });
});
