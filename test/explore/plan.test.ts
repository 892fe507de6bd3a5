/** Seeds and what they stand for: a seed says all there is to say about a trial. */

import { expect } from 'chai';
import { Kind, type Strategy } from '../../runtime/kernel/choice.js';
import { ANY, NATIVE, NODE, STUBS } from '../../runtime/kernel/rung.js';
import { rungOf, seedOf, seedPlan, type Profile } from '../../runtime/explore/plan.js';

const MS = 1e6;

function profileOf(duration: number): Profile {
  return new Map([['a test', { choices: [0, 10, 40, 100], duration }]]);
}

function delaysOf(strategy: Strategy, kind: Kind, limit: number, count = 200): number[] {
  return Array.from({ length: count }, (_, i) => strategy.delay(kind, i * 7919, 1, limit));
}

describe('plan', () => {
  it('begins a sweep with the empty schedule', () => {
    expect(seedOf(1, 1, ANY)).to.equal(0);
    const { rung, strategy } = seedPlan(0, profileOf(0))('a test');
    expect(rung).to.equal(NATIVE);
    expect(delaysOf(strategy, Kind.Await, Infinity)).to.satisfy((d: number[]) =>
      d.every((x) => !x),
    );
  });

  it('explores node and stubs first, and any with half of the rest', () => {
    const rungs = (from: number, to: number): number[] => {
      const counts = [0, 0, 0, 0];
      for (let trial = from; trial <= to; trial++) counts[rungOf(seedOf(1, trial, ANY))]++;
      return counts;
    };
    expect(rungs(2, 300)).to.deep.equal([0, 75, 224, 0]);
    expect(rungs(301, 700)).to.deep.equal([0, 0, 200, 200]);
    expect(rungOf(seedOf(1, 77, NODE))).to.equal(NODE);
    expect(rungOf(seedOf(1, 5000, STUBS))).to.equal(STUBS);
  });

  it('gives each trial another seed, far from every other base', () => {
    const seeds = new Set(Array.from({ length: 5000 }, (_, i) => seedOf(847291, i + 1, ANY)));
    expect(seeds.size).to.equal(5000);
  });

  it('draws the same for a seed and a scope again, and something else for others', () => {
    const draws = (seed: number, scope: string): string => {
      const { strategy } = seedPlan(seed, profileOf(30 * MS))(scope);
      return JSON.stringify([delaysOf(strategy, Kind.Await, Infinity), strategy.value(5, 1)]);
    };
    const seed = 4 * 12_345 + STUBS;
    expect(draws(seed, 'a test')).to.equal(draws(seed, 'a test'));
    expect(draws(seed, 'a test')).to.not.equal(draws(seed + 4, 'a test'));
    expect(draws(seed, 'a test')).to.not.equal(draws(seed, 'another test'));
  });

  it('keeps delays within the limit, and within 64 ms or a third of a longer test', () => {
    for (const [duration, longest] of [
      [10 * MS, 64 * MS],
      [3000 * MS, 1000 * MS],
    ] as const) {
      let most = 0;
      for (let i = 0; i < 300; i++) {
        const { strategy } = seedPlan(4 * i + STUBS, profileOf(duration))('a test');
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

  it('deviates at one to four places where it is delay-bounded', () => {
    let bounded = 0;
    for (let i = 0; i < 400; i++) {
      const { strategy } = seedPlan(4 * i + STUBS, profileOf(10 * MS))('a test');
      const hits = delaysOf(strategy, Kind.Await, Infinity, 40).filter((d) => d > 0).length;
      if (hits >= 1 && hits <= 4) bounded++;
    }
    expect(bounded).to.be.above(180);
  });
});
