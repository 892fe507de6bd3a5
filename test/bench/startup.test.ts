/** The benchmark of starting up in a small size: it runs, and gives its figures. */

import { expect } from 'chai';
import { benchStartup } from '../../bench/startup.js';

describe('bench startup', () => {
  it('measures every figure', async function () {
    this.timeout(60_000);
    const { figures } = await benchStartup(1);
    const names = ['node --eval 0', 'detsim --version', 'a sweep of one trial'];
    expect(figures.map(({ figure }) => figure)).to.deep.equal(names);
    for (const { value } of figures) expect(value).to.be.greaterThan(0);
  });
});
