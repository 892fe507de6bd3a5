/** The benchmark of starting up in a small size: it runs, and gives its figures. */

import { expect } from 'chai';
import { benchStartup } from '../../bench/startup.js';

describe('bench startup', () => {
  it('measures every figure', async function () {
    this.timeout(60_000);
    const { figures } = await benchStartup(1);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      ...['node --eval 0', 'detsim --version', 'first trial of a sweep', 'a sweep of one trial'],
      'first result after an edit',
    ]);
    for (const { figure, value } of figures) expect(value, figure).to.be.greaterThan(0);
    const [, , first, sweep] = figures;
    expect(first.value).to.be.lessThan(sweep.value);
  });
});
