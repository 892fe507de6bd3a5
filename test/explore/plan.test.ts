/** Seeds and what they stand for: a seed says all there is to say about a trial. */

import { expect } from 'chai';
import { Kind, type Strategy } from '../../runtime/kernel/choice.js';
import { ANY, NATIVE, NODE, STUBS, type Rung } from '../../runtime/kernel/rung.js';
import { rungOf, rungOfTrial, seedOf, seedPlan, strategyOf } from '../../runtime/explore/plan.js';
import { SEEDED } from '../../runtime/explore/strategies/index.js';
import { choiceOf, profileOf, profilesOf } from './toys.js';

const MS = 1e6;

function delaysOf(strategy: Strategy, kind: Kind, limit: number, count = 200): number[] {
  return Array.from({ length: count }, (_, i) =>
    strategy.delay(choiceOf({ kind, key: i * 7919, limit })),
  );
}

describe('plan', () => {
  it('takes plain Node for seed 0', () => {
    const { rung, strategy } = seedPlan(0, profilesOf(0))('a test');
    expect(rung).to.equal(NATIVE);
    expect(delaysOf(strategy, Kind.Await, Infinity)).to.satisfy((d: number[]) =>
      d.every((x) => !x),
    );
  });

  it('explores node and stubs first, and any with half of the rest', () => {
    const rungs = (from: number, to: number): number[] => {
      const counts = [0, 0, 0, 0];
      for (let trial = from; trial <= to; trial++) counts[rungOfTrial(trial, ANY)]++;
      return counts;
    };
    expect(rungs(2, 300)).to.deep.equal([0, 75, 224, 0]);
    expect(rungs(301, 700)).to.deep.equal([0, 0, 200, 200]);
    expect(rungOfTrial(77, NODE)).to.equal(NODE);
    expect(rungOfTrial(5000, STUBS)).to.equal(STUBS);
  });

  it('keeps rung and strategy in the seed, and gives each trial another one', () => {
    const seeds = new Set<number>();
    for (let trial = 2; trial < 500; trial++) {
      for (const strategy of SEEDED) {
        for (const rung of [NODE, STUBS, ANY]) {
          const seed = seedOf(847_291, trial, rung, strategy);
          expect([rungOf(seed), strategyOf(seed)]).to.deep.equal([rung, strategy]);
          seeds.add(seed);
        }
      }
    }
    expect(seeds.size).to.equal(498 * SEEDED.length * 3);
  });

  it('draws the same for a seed and a scope again, and something else for others', () => {
    const draws = (seed: number, scope: string): string => {
      const { strategy } = seedPlan(seed, profilesOf(30 * MS))(scope);
      return JSON.stringify([delaysOf(strategy, Kind.Await, Infinity), strategy.value(5, 1)]);
    };
    const seed = seedOf(0, 12_347, STUBS, 'random');
    expect(draws(seed, 'a test')).to.equal(draws(seed, 'a test'));
    expect(draws(seed, 'a test')).to.not.equal(draws(seed + 32, 'a test'));
    expect(draws(seed, 'a test')).to.not.equal(draws(seed, 'another test'));
  });

  it('keeps delays within the limit, and within 64 ms or a third of a longer test', () => {
    for (const [duration, longest] of [
      [10 * MS, 64 * MS],
      [3000 * MS, 1000 * MS],
    ] as const) {
      let most = 0;
      for (let i = 0; i < 300; i++) {
        const seed = seedOf(i, 2, STUBS, 'random');
        const { strategy } = seedPlan(seed, profilesOf(duration))('a test');
        most = Math.max(most, ...delaysOf(strategy, Kind.Await, Infinity, 50));
        const create = delaysOf(strategy, Kind.Create, MS, 50);
        expect(Math.max(...create)).to.be.at.most(MS);
        for (const late of delaysOf(strategy, Kind.Timer, Infinity, 50)) {
          expect(late % MS).to.equal(0);
        }
      }
      expect(most).to.be.within(0.8 * longest, longest);
    }
  });

  it('ends half of the delays just after something that happens without deviations', () => {
    const times = [3 * MS, 7 * MS, 20 * MS];
    const profile = new Map([['a test', { ...profileOf(20 * MS), times }]]);
    let landed = 0;
    for (let i = 0; i < 400; i++) {
      const { strategy } = seedPlan(seedOf(i, 2, STUBS, 'random'), profile)('a test');
      const delay = delaysOf(strategy, Kind.Await, Infinity, 50).find((d) => d > 0)!;
      if (times.includes(delay - 1) || times.includes(delay)) landed++;
    }
    expect(landed).to.be.within(150, 250);
  });

  it('deviates at one to four places where it is delay-bounded', () => {
    for (let i = 0; i < 200; i++) {
      const seed = seedOf(i, 2, STUBS as Rung, 'delay-bounded');
      const { strategy } = seedPlan(seed, profilesOf(10 * MS))('a test');
      const hits = delaysOf(strategy, Kind.Await, Infinity, 40).filter((d) => d > 0).length;
      expect(hits).to.be.within(1, 4);
    }
  });
});
