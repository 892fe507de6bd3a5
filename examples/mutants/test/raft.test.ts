/** Each mistake planted in Raft is found, and Raft without one survives the same seeds. */

import { expect } from 'chai';
import { search } from '../mutant.js';
import { raftCorrect, raftMutants } from '../raft.js';

/** Those that take more seeds than most, to be found by the faults that find them first. */
const RARE: Record<string, { readonly seeds: number; readonly swarm: boolean }> = {
  'commits-older-terms': { seeds: 150, swarm: false },
  'votes-for-longer-logs': { seeds: 20, swarm: false },
  'cuts-off-what-agrees': { seeds: 40, swarm: false },
  'old-snapshot-counts-as-new': { seeds: 100, swarm: true },
};
const SEEDS = 60;
/** How many seeds what is correct must survive here, with faults of both kinds. */
const CORRECT_SEEDS = 12;

describe('mistakes planted in Raft', function () {
  this.timeout(60_000);

  for (const mutant of raftMutants) {
    const { seeds, swarm } = RARE[mutant.name] ?? { seeds: SEEDS, swarm: true };
    it(`${mutant.name} is found within ${seeds} seeds`, () => {
      expect(search(mutant, swarm, seeds).found).to.be.a('number');
    });
  }

  for (const correct of raftCorrect) {
    it(`are not there in ${correct.name}`, () => {
      for (const swarm of [false, true]) {
        const found = search(correct, swarm, CORRECT_SEEDS);
        expect(found).to.deep.equal({ found: undefined, text: '' });
      }
    });
  }

  it('have names of their own', () => {
    expect(raftMutants).to.have.length.above(12);
    expect(new Set(raftMutants.map(({ name }) => name)).size).to.equal(raftMutants.length);
  });
});
