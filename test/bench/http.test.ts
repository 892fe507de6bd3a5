/** The HTTP benchmark in a small size: it runs, and does the same work every time. */

import { expect } from 'chai';
import { benchHttp } from '../../bench/http.js';

describe('bench http', () => {
  it('measures every figure, and does the same work every time', async function () {
    this.timeout(20_000);
    const size = { requests: 20, rounds: 1 };
    const { figures, work } = await benchHttp(size);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'a request over loopback',
      'a request in a simulation',
    ]);
    for (const { value } of figures) expect(value).to.be.greaterThan(0);
    expect((await benchHttp(size)).work).to.equal(work);
  });
});
