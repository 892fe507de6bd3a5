/** What each strategy promises, measured over many seeds; and that it does the same again. */

import { expect } from 'chai';
import { noDeviation, type Decision, type Strategy } from '../../runtime/kernel/choice.js';
import { ANY } from '../../runtime/kernel/rung.js';
import { sequenceOf, sequenceStrategy } from '../../runtime/explore/novelty/mutate.js';
import { NO_PROFILE } from '../../runtime/explore/profile.js';
import { Enumeration } from '../../runtime/explore/strategies/exhaustive.js';
import { makeStrategy, SEEDED } from '../../runtime/explore/strategies/index.js';
import { Pct } from '../../runtime/explore/strategies/pct.js';
import { letters, profileOfJobs, runJobs, spell, type Job } from './toys.js';

/** The value of the chi-squared statistic for equal shares. */
function chiSquared(found: ReadonlyMap<string, number>, orderCount: number, runs: number): number {
  const expected = runs / orderCount;
  const seen = [...found.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  return seen + (orderCount - found.size) * expected;
}

describe('strategies', () => {
  for (const name of SEEDED) {
    it(`${name} does the same for the same seed, and its delays alone do the same`, () => {
      let deviating = 0;
      for (let seed = 1; seed <= 40; seed++) {
        const profile = profileOfJobs(letters(3, 4).jobs);
        const strategy = () => makeStrategy(name, seed * 31, profile, ANY);
        const run = (under: Strategy): [order: string, decisions: [Decision, number][]] => {
          const { jobs, log } = letters(3, 4);
          const decisions: [Decision, number][] = [];
          runJobs(jobs, under, { choice: (decision, at) => void decisions.push([decision, at]) });
          return [log.join(''), decisions];
        };
        const [order, decisions] = run(strategy());
        expect(run(strategy())[0]).to.equal(order);
        const { delays } = sequenceOf(decisions, ANY, 0);
        expect(run(sequenceStrategy({ delays, seed: 0 }))[0]).to.equal(order);
        if (order !== run(noDeviation)[0]) deviating++;
      }
      expect(deviating).to.be.above(15);
    });
  }

  it('surw samples the interleavings of independent tasks uniformly', () => {
    // A task of four steps beside two of one: an even choice at each step would favour some.
    const runs = 6000;
    const found = new Map<string, number>();
    const steps = ['aaaa', 'b', 'c'];
    const profile = profileOfJobs(spell(steps, []));
    for (let seed = 1; seed <= runs; seed++) {
      // Every second trial holds only a part of the points.
      const strategy = makeStrategy('surw', seed, profile, ANY);
      if ((strategy as unknown as { selective: boolean }).selective) continue;
      const log: string[] = [];
      runJobs(spell(steps, log), strategy);
      const order = log.join('');
      found.set(order, (found.get(order) ?? 0) + 1);
    }
    const sampled = [...found.values()].reduce((a, b) => a + b, 0);
    expect(sampled).to.be.within(0.45 * runs, 0.55 * runs);
    // 6! / 4! = 30 orders; 29 degrees of freedom, 99.9th percentile.
    expect(found.size).to.equal(30);
    expect(chiSquared(found, 30, sampled)).to.be.below(58.3);
  });

  it('pos runs a step after many of another task more often than an even choice does', () => {
    // An even choice at each step lets four steps go first in one run of 16; priorities in one
    // of 5.
    const runs = 3000;
    const steps = ['aaaa', 'b'];
    let late = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const log: string[] = [];
      runJobs(spell(steps, log), makeStrategy('pos', seed * 7919, NO_PROFILE, ANY));
      if (log.join('') === 'aaaab') late++;
    }
    expect(late / runs).to.be.within(0.17, 0.23);
  });

  it('pct finds a bug of depth d with the probability it promises', () => {
    // The order a, b, b, a, a ... needs task a to be left after its first step and taken up after
    // two steps of b: depth 3 for two tasks of four steps.
    const steps = 8;
    const runs = 3000;
    const profile = profileOfJobs(letters(2, 4).jobs);
    let hits = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const { jobs, log } = letters(2, 4);
      runJobs(jobs, new Pct(seed * 7919, profile, steps, 3));
      if (log.join('').startsWith('abba')) hits++;
    }
    const promised = 1 / (2 * steps ** 2);
    expect(hits / runs).to.be.above(promised);
  });

  it('pct of depth 1 runs one task after the other', () => {
    const found = new Set<string>();
    const profile = profileOfJobs(letters(3, 2).jobs);
    for (let seed = 1; seed <= 200; seed++) {
      const { jobs, log } = letters(3, 2);
      runJobs(jobs, new Pct(seed * 7919, profile, 6, 1));
      found.add(log.join(''));
    }
    expect([...found].sort()).to.deep.equal([
      'aabbcc',
      'aaccbb',
      'bbaacc',
      'bbccaa',
      'ccaabb',
      'ccbbaa',
    ]);
  });

  for (const [tasks, points] of [
    [2, 2],
    [3, 2],
    [2, 4],
    [4, 1],
  ]) {
    const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));
    const expected = factorial(tasks * points) / factorial(points) ** tasks;

    it(`exhaustive runs all ${expected} schedules of ${tasks} tasks with ${points} points`, () => {
      const enumeration = new Enumeration(profileOfJobs(letters(tasks, points).jobs));
      const found = new Set<string>();
      while (!enumeration.complete) {
        const { jobs, log } = letters(tasks, points);
        runJobs(jobs, enumeration.begin());
        enumeration.end();
        found.add(log.join(''));
      }
      expect(enumeration.explored).to.equal(expected);
      expect(found.size).to.equal(expected);
    });
  }

  /** Runs all schedules of three tasks that each do one thing after one wait. */
  function enumerate(effects: readonly string[]): { runs: number; orders: Set<string> } {
    const make = () => {
      const log: string[] = [];
      return { log, jobs: spell(['a', 'b', 'c'], log) };
    };
    const enumeration = new Enumeration(profileOfJobs(make().jobs));
    const orders = new Set<string>();
    while (!enumeration.complete) {
      const { jobs, log } = make();
      runJobs(jobs, enumeration.begin(), undefined, effects);
      enumeration.end();
      orders.add(log.join(''));
    }
    return { runs: enumeration.explored, orders };
  }

  it('exhaustive runs one schedule of tasks that have nothing to do with each other', () => {
    const own = ['a', 'b', 'c'].map((name) => `closed\n\n${name}`);
    expect(enumerate(own).runs).to.equal(1);
  });

  it('exhaustive runs both orders of each pair that has', () => {
    // a and b write one name: of the six orders there are two that differ.
    const { runs } = enumerate(['closed\n\nx', 'closed\n\nx', 'closed\n\ny']);
    expect(runs).to.equal(2);
    expect(enumerate(['closed\nx\n', 'closed\nx\n', 'closed\n\nx']).runs).to.equal(4);
  });

  it('exhaustive leaves nothing out where not everything is known', () => {
    const { runs, orders } = enumerate(['open\n\na', 'closed\n\nb', 'open\n\nc']);
    expect(runs).to.equal(6);
    expect(orders.size).to.equal(6);
  });

  it('exhaustive with sleep sets comes to the same outcomes by fewer schedules', () => {
    // Two updates of x that can get lost, and a third task that has nothing to do with them.
    const program = () => {
      const state = { x: 0, y: 0 };
      const update = (change: (x: number) => number): Job => {
        return async (wait) => {
          await wait(0);
          const seen = state.x;
          await wait(1);
          state.x = change(seen);
        };
      };
      const apart: Job = async (wait) => {
        await wait(0);
        state.y++;
        await wait(1);
        state.y++;
      };
      return { state, jobs: [update((x) => x + 1), update((x) => x * 3 + 5), apart] };
    };
    const explore = (effects: readonly string[]): { schedules: number; outcomes: string[] } => {
      const enumeration = new Enumeration(profileOfJobs(program().jobs));
      const outcomes = new Set<string>();
      while (!enumeration.complete) {
        const { state, jobs } = program();
        runJobs(jobs, enumeration.begin(), undefined, effects);
        enumeration.end();
        outcomes.add(JSON.stringify(state));
      }
      return { schedules: enumeration.explored, outcomes: [...outcomes].sort() };
    };
    const without = explore(['open\n\n', 'open\n\n', 'open\n\n']);
    const slept = explore(['closed\nx\nx', 'closed\nx\nx', 'closed\ny\ny']);
    // 6! / 2!^3 interleavings; of the two that share x alone there are 4! / 2!^2.
    expect(without.schedules).to.equal(90);
    expect(slept.schedules).to.equal(6);
    expect(slept.outcomes).to.deep.equal(without.outcomes);
    expect(without.outcomes).to.have.length(4);
  });
});
