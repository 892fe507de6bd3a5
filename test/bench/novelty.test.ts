/** The benchmark of novelty in a small size: it runs, and ends at once where there is one order. */

import { expect } from 'chai';
import { benchNovelty } from '../../bench/novelty.js';
import { SERVICES } from '../../bench/novelty/services/index.js';

describe('bench novelty', () => {
  it('measures every figure', async function () {
    this.timeout(60_000);
    const figures = await benchNovelty({ cpu: 0.5, bases: [0], services: SERVICES.slice(0, 1) });
    const byName = new Map(figures.map(({ figure, value }) => [figure, value]));
    expect([...byName.keys()]).to.deep.equal([
      'bank: bugs of 8 in 0.5 CPU s',
      'bank: bugs per CPU second',
      'bank: trials per CPU second',
      'trials of a program with one schedule',
    ]);
    for (const value of byName.values()) expect(value).to.be.greaterThan(0);
    expect(byName.get('trials of a program with one schedule')).to.equal(1);
  });
});
