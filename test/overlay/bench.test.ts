/**
 * The benchmark of compiling, at its smallest size.
 */

import { expect } from 'chai';
import { benchCompile } from '../../bench/compile.js';

describe('bench: compile', () => {
  it('measures a small project', () => {
    const { figures, work } = benchCompile(3, 1, false);
    expect(figures).to.have.length(4);
    expect(figures.every((one) => one.value > 0)).to.equal(true);
    expect(work).to.match(/^[0-9a-f]{12}$/);
  }).timeout(60_000);
});
