/** The benchmark of recording in a small size: it measures both figures, of a long trace. */

import { expect } from 'chai';
import { benchRecording } from '../../bench/recording.js';

describe('bench recording', () => {
  it('measures trials with and without a recorder, and minimizes a long trace', async function () {
    this.timeout(60_000);
    const figures = await benchRecording({ trials: 2, rounds: 1 });
    const [recorded, share, minimized] = figures.map(({ figure }) => figure);
    expect(recorded).to.equal('a trial that is recorded');
    expect(figures[0].value).to.be.greaterThan(0);
    expect(share).to.match(/^share of the time/);
    const [, decisions] = /^minimizing a trace of (\d+) decisions$/.exec(minimized) ?? [];
    expect(Number(decisions)).to.be.within(1900, 2100);
  });
});
