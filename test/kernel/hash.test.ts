/** Draws: uniform, and independent of one another. */

import { expect } from 'chai';
import { fraction, hashSeed, hashString, mix } from '../../runtime/kernel/hash.js';

describe('hash', () => {
  it('draws fractions that are uniform over [0, 1)', () => {
    const buckets = new Array<number>(20).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const f = fraction(mix(mix(17, i % 100), Math.floor(i / 100)));
      expect(f).to.be.within(0, 0.9999999999999999);
      buckets[Math.floor(f * 20)]++;
    }
    for (const count of buckets) expect(count).to.be.within(4700, 5300);
  });

  it('has a low rate of collisions over related keys', () => {
    const seen = new Set<number>();
    for (let task = 0; task < 100; task++) {
      for (let n = 1; n <= 100; n++) seen.add(mix(mix(hashString(`a.ts:${task}:1`), n), 1) >>> 1);
    }
    expect(seen.size).to.be.above(9990);
  });

  it('tells seeds apart that share their low 32 bits', () => {
    expect(hashSeed(1)).to.not.equal(hashSeed(1 + 2 ** 32));
    expect(hashSeed(0)).to.not.equal(hashSeed(2 ** 47));
  });
});
