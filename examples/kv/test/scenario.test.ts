/** The store over crashes of faulty disks, with checksums and without. */

import { expect } from 'chai';
import { swarm } from 'detsim';
import { faults, modes } from '../modes.js';
import { runScenario } from '../scenario.js';

const SEEDS = 500;

const profiles = {
  'torn and corrupt writes': { tornWrite: 0.3, corruptByte: 0.4 },
  'a disk that keeps what it has synced': { tornWrite: 0.3, readError: 0.05, reorder: 0.1 },
  'every fault there is': {
    tornWrite: 0.3,
    corruptByte: 0.05,
    skipSync: 0.3,
    reorder: 0.1,
    misdirectedWrite: 0.02,
    readError: 0.05,
    maxSize: 1200,
  },
};

describe('the store on faulty disks', function () {
  this.timeout(60_000);

  for (const [name, profile] of Object.entries(profiles)) {
    it(`is right with checksums, and at some seed wrong without: ${name}`, () => {
      let wrong = 0;
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { problem } = runScenario(seed, { profile, checksums: true });
        expect(problem, `seed ${seed}`).to.equal(undefined);
        if (runScenario(seed, { profile, checksums: false }).problem !== undefined) wrong++;
      }
      expect(wrong).to.be.greaterThan(0);
    });
  }

  it('is right with faults that are drawn', () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const profile = swarm(seed, faults).storage;
      expect(runScenario(seed, { profile, checksums: true }).problem, `seed ${seed}`).to.equal(
        undefined,
      );
    }
  });

  it('does the same again with the same seed', () => {
    const profile = profiles['every fault there is'];
    for (let seed = 1; seed <= 50; seed++) {
      for (const checksums of [true, false]) {
        const scenario = { profile, checksums };
        expect(runScenario(seed, scenario)).to.deep.equal(runScenario(seed, scenario));
      }
    }
  });

  it('brings back a good part of what was written, and notices what a disk has lost', () => {
    const outcomes = Array.from({ length: 100 }, (_, i) =>
      runScenario(i + 1, { profile: profiles['every fault there is'], checksums: true }),
    );
    expect(outcomes.filter(({ recovered }) => recovered >= 5).length).to.be.greaterThan(30);
    expect(outcomes.filter(({ lost }) => lost > 0).length).to.be.greaterThan(30);
  });
});

describe('the mode kv', () => {
  const { run, defaults } = modes[0];
  const options = { nodes: 0, drop: 0, torn: 0, corrupt: 0, checksums: true, ...defaults };

  it('has one line for a seed', () => {
    const lines = Array.from({ length: 50 }, (_, i) =>
      run(i + 1, { ...options, checksums: false }),
    );
    const corrupted = lines.filter(({ line }) => line.includes('CORRUPTED'));
    expect(corrupted.length).to.be.greaterThan(0);
    for (const { line, violation } of lines) {
      expect(line).to.match(violation ? /^seed=\d+ [A-Z ]+: .*$/ : /^seed=\d+ ok, checksums=false/);
    }
    for (const { line } of corrupted)
      expect(line).to.match(/CORRUPTED: key\d got ".*" want "value/);
    expect(run(1, options)).to.have.property('violation', false);
  });
});
