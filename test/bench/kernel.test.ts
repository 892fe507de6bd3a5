/** The kernel benchmark in a small size: it runs, and does the same work every time. */

import { expect } from 'chai';
import { benchKernel } from '../../bench/kernel.js';
import { longRun } from '../../bench/kernel/linear.js';
import { SCENARIOS } from '../../bench/kernel/scenarios.js';

describe('bench kernel', function () {
  this.timeout(60_000);

  it('measures every scenario, and does the same work every time', async () => {
    const size = { rounds: 1, share: 0.001, events: 10_000, workers: 1 };
    const { figures, work } = await benchKernel(size);
    const titles = figures.map(({ figure }) => figure);
    for (const { name } of SCENARIOS) {
      expect(titles.some((title) => title.startsWith(name))).to.equal(true);
    }
    expect(titles).to.include.members(['native await', 'a run of 10,000 events, each']);
    for (const { value } of figures) expect(value).to.be.greaterThan(0);
    expect((await benchKernel(size)).work).to.equal(work);
  });

  it('the memory of a run does not grow with the events that have passed', () => {
    longRun(20_000);
    const short = longRun(20_000).memory;
    const long = longRun(400_000).memory;
    // 380,000 events that were kept would take 30 MB at least.
    expect(long - short).to.be.below(5_000_000);
  });
});
