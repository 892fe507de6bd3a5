/** Each planted mistake of the store is found, and the store without one survives. */

import { expect } from 'chai';
import { kvCorrect, kvMutants } from '../kv.js';
import { search } from '../mutant.js';

/** Enough for the rarest of them. */
const SEEDS = 1000;

describe('mistakes planted in the store', function () {
  this.timeout(60_000);

  for (const mutant of kvMutants) {
    it(`${mutant.name} is found within ${SEEDS} seeds`, () => {
      expect(search(mutant, false, SEEDS).found).to.be.a('number');
    });
  }

  it('have names of their own', () => {
    expect(new Set(kvMutants.map(({ name }) => name)).size).to.equal(kvMutants.length);
  });

  it('are not there in the store itself', () => {
    for (const swarm of [false, true]) {
      expect(search(kvCorrect, swarm, SEEDS)).to.deep.equal({ found: undefined, text: '' });
    }
  });
});
