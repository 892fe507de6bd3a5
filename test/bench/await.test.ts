/** The await benchmark in a small size: it runs, and does the same work every time. */

import { expect } from 'chai';
import { benchAwait } from '../../bench/await.js';

describe('bench await', () => {
  it('measures every figure, and does the same work every time', async function () {
    this.timeout(10_000);
    const size = { awaits: 1000, runs: 20, rounds: 1 };
    const { figures, work } = await benchAwait(size);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'native await',
      'instrumented, outside a simulation',
      'in a simulation, not held',
      'in a simulation, every await held',
      'scheduling decisions',
    ]);
    for (const { value } of figures) expect(value).to.be.greaterThan(0);
    expect((await benchAwait(size)).work).to.equal(work);
  });
});
