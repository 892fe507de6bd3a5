/** The fuzz benchmark in a small size: it counts its runs, and does the same every time. */

import { expect } from 'chai';
import { benchFuzz } from '../../bench/fuzz.js';

describe('bench fuzz', () => {
  it('fuzzes in every way, and does the same work every time', function () {
    this.timeout(10_000);
    const { figures, work } = benchFuzz(400, 1);
    const values = figures.map(({ figure, value }) => [figure, value] as const);
    expect(values.slice(0, -1)).to.deep.equal([
      ['any bytes, with checksums', 100],
      ['damaged logs, with checksums', 100],
      ['any bytes, without checksums', 100],
      ['damaged logs, without checksums', 100],
      ['without a throw', 400],
    ]);
    expect(benchFuzz(400, 1).work).to.equal(work);
  });
});
