/** The PostgreSQL benchmark in a small size: it runs, and does the same work every time. */

import { expect } from 'chai';
import { benchPostgres } from '../../bench/postgres.js';

describe('bench postgres', () => {
  it('measures every figure, and does the same work every time', async function () {
    this.timeout(20_000);
    const { figures, work } = await benchPostgres(50, 1);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'a row by its key',
      'an update by the key',
    ]);
    for (const { value } of figures) expect(value).to.be.greaterThan(0);
    expect(work).to.equal('0 0 50 50');
  });
});
