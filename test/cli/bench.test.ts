/**
 * The benchmarks of sweeps in a small size, so that they do not rot; and the list of all.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { BENCHES } from '../../bench/index.js';
import { benchMemory } from '../../bench/memory.js';
import { benchSweep } from '../../bench/sweep.js';

describe('bench', function () {
  this.timeout(60_000);

  it('the list names what is there', () => {
    const folder = path.join(__dirname, '../../bench');
    for (const name of Object.keys(BENCHES)) {
      expect(fs.existsSync(path.join(folder, `${name}.js`)), name).to.equal(true);
    }
  });

  it('sweep', async () => {
    const { figures, work } = await benchSweep({ trials: 20, sweepTrials: 20, rounds: 1 });
    expect(figures.map(({ unit }) => unit)).to.deep.equal(['/s', 's']);
    expect(figures[0].ratio?.['mocha process per seed']).to.be.greaterThan(1);
    expect(work).to.match(/^[0-9a-f]+$/);
  });

  it('memory, and the same work twice', async () => {
    const first = await benchMemory({ trials: 60, settled: 20 });
    const second = await benchMemory({ trials: 60, settled: 20 });
    expect(first.figures).to.have.length(2);
    expect(first.work).to.equal(second.work);
  });
});
