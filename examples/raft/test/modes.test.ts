/** The modes of `detsim sim` on a few seeds each, with faults as given and as drawn. */

import { expect } from 'chai';
import { swarm, type ModeOptions } from 'detsim';
import { modes } from '../modes.js';

const SEEDS = 15;

describe('correct Raft', function () {
  this.timeout(60_000);

  for (const mode of modes) {
    for (const drawn of [false, true]) {
      it(`survives mode ${mode.name}${drawn ? ' with drawn faults' : ''}`, () => {
        for (let seed = 1; seed <= SEEDS; seed++) {
          const faults = drawn ? swarm(seed, mode.faults) : undefined;
          const result = mode.run(seed, { ...mode.defaults, faults } as ModeOptions);
          expect(result.line).to.match(new RegExp(`^seed=${seed} ok: node\\d+ leads in term `));
          expect(result.violation).to.equal(false);
        }
      });
    }
  }
});
