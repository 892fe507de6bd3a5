/** A test of the benchmark of novelty in which nothing can go in another order. */

/** A program with one schedule: whatever waits, waits alone. */
export const ALONE_SPEC = `import { expect } from 'chai';

describe('alone', () => {
  it('has one schedule', () => {
    expect([3, 1, 2].sort()).to.deep.equal([1, 2, 3]);
  });
});
`;
