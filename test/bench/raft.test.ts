/** The Raft benchmarks do the work that the original's do, on a few seeds. */

import { expect } from 'chai';
import { raftScenarios } from '../../bench/kernel/raft.js';
import { sweepRaft } from '../../bench/kernel/raft-sweep.js';

/** What the original's runs deliver on average, and how long they simulate, in seconds. */
const ORIGINAL: Record<string, { deliveries: number; seconds: number }> = {
  election: { deliveries: 799.4, seconds: 8 },
  commit: { deliveries: 622.6, seconds: 4 },
  snapshot: { deliveries: 526.6, seconds: 3.4 },
};
const SEEDS = 10;

describe('the Raft benchmarks', function () {
  this.timeout(30_000);

  for (const { name, run } of raftScenarios) {
    it(`do the work of the original: ${name}`, () => {
      const { deliveries, seconds } = ORIGINAL[/(\w+)/.exec(name.replace('raft: ', ''))![1]!]!;
      let delivered = 0;
      for (let seed = 1; seed <= SEEDS; seed++) {
        const work = run(seed);
        delivered += work.deliveries!;
        expect(work.simulated).to.equal(seconds * 1e9);
      }
      expect(delivered / SEEDS).to.be.within(deliveries * 0.95, deliveries * 1.05);
      expect(run(1)).to.deep.equal(run(1));
    });
  }

  it('sweep the same with one worker and two', async () => {
    const [one, two] = [await sweepRaft(1000, 6, 1), await sweepRaft(1000, 6, 2)];
    expect(one.deliveries).to.be.above(4000);
    expect(two.deliveries).to.equal(one.deliveries);
  });
});
