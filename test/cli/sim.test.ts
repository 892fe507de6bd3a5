/** `detsim sim`: its modes, options, output and exit statuses. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

const bin = path.join(__dirname, '..', '..', 'cli', 'bin.js');

function sim(...options: string[]): { status: number | null; lines: string[]; errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'sim', ...options], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, lines: stdout.split('\n').slice(0, -1), errors: stderr };
}

describe('detsim sim', function () {
  this.timeout(60_000);

  for (const mode of ['raft', 'read', 'membership', 'kv', 'workerpool', 'lowdiversity']) {
    it(`--mode=${mode} prints a line for each seed`, () => {
      const first = sim(`--mode=${mode}`, '--seed=5', '--trials=3');
      expect(first.status, first.errors).to.equal(0);
      const seeds = first.lines.flatMap((line) => /^seed=(\d+) ok/.exec(line)?.[1] ?? []);
      expect(seeds).to.deep.equal(['5', '6', '7']);
    });
  }

  it('a seed prints the same line whenever it is run', () => {
    const [, second] = sim('--mode=raft', '--seed=5', '--trials=2').lines;
    expect(sim('--mode=raft', '--seed=6').lines).to.deep.equal([second]);
  });

  it('exits 1 on a violation, and says how to see it again', () => {
    const { status, lines, errors } = sim('--mode=kv', '--checksums=false', '--trials=10');
    expect(status).to.equal(1);
    expect(lines).to.have.length(10);
    const bad = lines.findIndex((line) => !/^seed=\d+ ok/.test(line));
    const again = `detsim sim --mode=kv --seed=${bad + 1} --checksums=false`;
    expect(errors).to.include(`of 10 seeds with a violation; the first again: ${again}`);
    const repeated = sim(...again.split(' ').slice(2));
    expect(repeated.status).to.equal(1);
    expect(repeated.lines).to.deep.equal([lines[bad]]);
  });

  it('--swarm prints the faults it has drawn', () => {
    const { status, lines } = sim('--mode=raft', '--swarm', '--trials=3');
    expect(status).to.equal(0);
    for (const line of lines) expect(line).to.match(/ \[(?:no faults|network: |storage: ).*\]$/);
  });

  it('what is wrong with the command line is said, with exit status 2', () => {
    const wrong: [string[], string][] = [
      [
        ['--mode=paxos'],
        '--mode must be one of raft, read, membership, kv, workerpool, lowdiversity, but it is "paxos".',
      ],
      [['--trials=0'], '--trials must be a whole number, 1 or more, but it is "0".'],
      [['--drop=2'], '--drop must be a number from 0 to 1, for instance --drop=0.1'],
      [['--mode=kv', '--checksums=maybe'], '--checksums must be one of true, false'],
      [
        ['--mode=kv', '--drop=0.1'],
        '--drop means nothing to the mode kv, whose options are: --torn',
      ],
      [['--mode=workerpool', '--swarm'], '--swarm means nothing to the mode workerpool'],
      [['--mode=raft', '--novelty'], '--novelty means nothing to the mode raft'],
      [['--seed=9007199254740991', '--trials=2'], 'the last one is 9007199254740991'],
    ];
    for (const [options, message] of wrong) {
      const { status, lines, errors } = sim(...options);
      expect([status, lines], options.join(' ')).to.deep.equal([2, []]);
      expect(errors).to.include(message);
    }
  });
});
