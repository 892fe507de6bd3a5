/**
 * No regression: what a seed means.
 *
 * Seeds are an interface: people keep them in issues and in CI. When one of these changes, every
 * seed of its strategy means something else, and the changelog has to say so.
 */

import { expect } from 'chai';
import { Kind, type Decision } from '../../runtime/kernel/choice.js';
import { ANY, STUBS } from '../../runtime/kernel/rung.js';
import { emptyPlan, rungOfTrial, seedOf, seedPlan } from '../../runtime/explore/plan.js';
import { profileRecorder } from '../../runtime/explore/profile.js';
import {
  exploreNovelty,
  type NoveltyTrial,
  type TrialOutcome,
} from '../../runtime/explore/novelty/index.js';
import { Enumeration } from '../../runtime/explore/strategies/exhaustive.js';
import { SEEDED, type SeededName } from '../../runtime/explore/strategies/index.js';
import { Portfolio } from '../../runtime/explore/strategies/portfolio.js';
import { letters, runJobs } from './toys.js';

const TEST = 'a test';

/** The schedule of a seed for three tasks of three points each: `line+nanoseconds`. */
function scheduleOf(seed: number): string {
  const { recorder, profile } = profileRecorder();
  runJobs(letters(3, 3).jobs, emptyPlan(TEST).strategy, recorder);
  const decisions: Decision[] = [];
  const { strategy } = seedPlan(seed, profile)(TEST);
  runJobs(letters(3, 3).jobs, strategy, { choice: (decision) => void decisions.push(decision) });
  return decisions
    .filter(({ kind, value }) => kind === Kind.Await && value > 0)
    .map(({ site, value }) => `${site.position().split(':')[1]}+${value}`)
    .join(' ');
}

const PINNED: Record<SeededName, string> = {
  random: '2+160000',
  'delay-bounded': '102+1500000 202+3100000 103+21000000 203+29000000',
  pct: '2+4 102+1 202+5 103+1 104+1 3+4 203+1 204+1 4+1',
  pos: '2+1 102+4 202+6 3+1 4+1 103+1 104+4 203+1 204+1',
  surw: '2+1 4+1',
};

describe('seeds', () => {
  for (const name of SEEDED) {
    it(`mean under ${name} what they have always meant`, () => {
      expect(scheduleOf(seedOf(0, 9, ANY, name))).to.equal(PINNED[name]);
    });
  }

  it('do not decide what exhaustive runs: its orders come one after the other, as ever', () => {
    const { recorder, profile } = profileRecorder();
    runJobs(letters(2, 2).jobs, emptyPlan(TEST).strategy, recorder);
    const enumeration = new Enumeration(profile.get(TEST)!);
    const orders: string[] = [];
    while (!enumeration.complete) {
      const { jobs, log } = letters(2, 2);
      runJobs(jobs, enumeration.begin());
      enumeration.end();
      orders.push(log.join(''));
    }
    expect(orders.join(' ')).to.equal('abab abba aabb baba baab bbaa');
  });

  it('mean under novelty what they have always meant', () => {
    const orders: string[] = [];
    const run = ({ strategy, recorder }: NoveltyTrial): TrialOutcome => {
      const { jobs, log } = letters(3, 2);
      const { loop } = runJobs(jobs, strategy, recorder);
      orders.push(log.join(''));
      return { shape: loop.order.shape, outcome: log.at(-1)!, failed: false };
    };
    exploreNovelty(run, { seed: 9, trials: 12 });
    expect(orders.join(' ')).to.equal(
      'abcabc aabbcc accabb aaccbb cbbcaa cbbcaa cbbaac cbbaca accabb ccaabb cbbaca baaccb',
    );
  });

  it('are given to the trials of a sweep as ever', () => {
    const portfolio = new Portfolio(0, ANY, 'portfolio');
    const seeds = Array.from({ length: 12 }, (_, i) => portfolio.seed(i + 1));
    expect(seeds).to.deep.equal([0, 5, 46, 82, 106, 129, 166, 206, 242, 261, 302, 322]);
  });

  it('hold rung and strategy: 0 is plain Node', () => {
    expect(seedOf(0, 2, STUBS, 'random')).to.equal(2);
    expect(seedOf(0, 3, STUBS, 'surw')).to.equal(32 + 4 * 4 + 2);
    expect(rungOfTrial(2, ANY)).to.equal(1);
  });
});
