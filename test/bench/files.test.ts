/** The benchmark of files in a small size: it runs, and does the same work every time. */

/** The small size of the benchmark of files: it does its work, and gives its figures. */

import { expect } from 'chai';
import { benchFiles } from '../../bench/files.js';

describe('bench: files', () => {
  it('reads back what was written, and gives a figure for each interface', async () => {
    const { figures, work } = await benchFiles({ files: 20, rounds: 1 });
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'writeFile and readFile by callbacks',
      'writeFile and readFile by promises',
    ]);
    expect(work).to.equal(String(2 * 2 * 20 * 150));
  });
});
