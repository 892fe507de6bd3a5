/** The benchmark of trying detsim: it finds something, and what does not depend on the machine holds. */

import { expect } from 'chai';
import { benchAdoption } from '../../bench/adoption.js';

describe('bench adoption', () => {
  it('goes by the README, with few commands and few packages', function () {
    this.timeout(240_000);
    const { figures, work } = benchAdoption();
    const value = Object.fromEntries(figures.map((one) => [one.figure, one.value]));
    expect(value['commands to a finding']).to.be.within(2, 5);
    expect(value.packages).to.be.within(2, 40);
    expect(value['size of them']).to.be.within(1, 60);
    expect(value['time to a finding']).to.be.greaterThan(0);
    expect(work).to.match(/^minimal: .*DETSIM_REPLAY="stubs;src\/cache\.js:/);
  });
});
