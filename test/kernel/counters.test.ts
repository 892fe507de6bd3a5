/** The occurrence counters against a Map. */

import { expect } from 'chai';
import fc from 'fast-check';
import { Counters } from '../../runtime/kernel/counters.js';

describe('Counters', () => {
  it('counts each key from 1, however many keys there are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 1000 }), { maxLength: 3000 }), (keys) => {
        const counters = new Counters(4);
        const model = new Map<number, number>();
        for (const key of keys) {
          model.set(key, (model.get(key) ?? 0) + 1);
          expect(counters.next(key)).to.equal(model.get(key));
        }
      }),
      { numRuns: 30 },
    );
  });
});
