/** The benchmark of a small service in a small size: it runs, and does the same work every time. */

import { expect } from 'chai';
import { benchService } from '../../bench/service.js';

describe('bench service', () => {
  it('measures every figure, and does the same work every time', async function () {
    this.timeout(60_000);
    const size = { trials: 8, rounds: 1 };
    const { figures, work } = await benchService(size);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'a trial in a warm worker',
      'detsim sweep --trials=8, from cold',
    ]);
    for (const { value } of figures) expect(value).to.be.greaterThan(0);
    expect((await benchService(size)).work).to.equal(work);
  });
});
