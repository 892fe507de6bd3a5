/** The Redis benchmark in a small size: it runs, and does the same work every time. */

import { expect } from 'chai';
import { benchRedis } from '../../bench/redis.js';

describe('bench redis', () => {
  it('measures every figure, and does the same work every time', async function () {
    this.timeout(20_000);
    const { figures, work } = await benchRedis(200, 1);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'in a simulation, one by one',
      'on loopback, one by one',
      'in a simulation, 100 at once',
      'on loopback, 100 at once',
    ]);
    for (const { value } of figures) expect(value).to.be.greaterThan(0);
    expect(work).to.equal(':200 :200 :200 :400 :200 :200 :600 :800');
  });
});
