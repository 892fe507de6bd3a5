/**
 * Faults of the network and the disk, end to end: each kind strikes, is what a finding is minimized
 * to, is said in words, and comes again by the line that was printed.
 */

import { expect } from 'chai';
import { copyFixture, runCli, runShell } from './fixture.js';

interface Found {
  readonly test: string;
  readonly schedule: string;
  readonly sentences: readonly string[];
  readonly needs: readonly string[];
  readonly replay: { readonly identical: boolean };
  readonly minimal: string;
}

/** Each with what a finding needs then; its test in the fixture is called as the option is. */
const KINDS: Readonly<Record<string, readonly [value: string, needs: string]>> = {
  drop: ['0.1', 'a lost message'],
  duplicate: ['0.1', 'a message that arrives twice'],
  reset: ['0.1', 'a connection reset'],
  refuse: ['0.1', 'a refused connection'],
  'half-open': ['0.1', 'a peer that goes without a word'],
  latency: ['1ms..20ms', 'a slow network or disk'],
  'name-failure': ['0.1', 'a name that cannot be looked up'],
  'no-space': ['0.05', 'a full disk'],
  'io-error': ['0.05', 'an I/O error'],
  short: ['0.1', 'a short read or write'],
  torn: ['0.2', 'a torn write'],
  'skip-sync': ['0.2', 'a disk that does not sync'],
};

/** What happens without any option, and needs nothing. */
const ORDINARY = 'chunk';

async function sweep(folder: string, ...options: string[]): Promise<Found[]> {
  const args = ['sweep', '--workers=1', '--no-check', '--reporter=json', ...options];
  const { stdout, stderr } = await runCli(folder, ...args);
  expect(stderr).to.not.match(/^detsim: /m);
  return (JSON.parse(stdout) as { findings: Found[] }).findings;
}

describe('faults of the network and the disk', function () {
  this.timeout(120_000);

  it('are found, each by itself, and replayed', async () => {
    const folder = copyFixture('world');
    const options = Object.entries(KINDS).map(([kind, [value]]) => `--${kind}=${value}`);
    const found = await sweep(folder, '--trials=80', ...options);
    const nameOf = ({ test }: Found): string => test.slice(test.lastIndexOf(' ') + 1);
    expect(found.map(nameOf)).to.have.members([...Object.keys(KINDS), ORDINARY]);
    for (const finding of found) {
      const kind = nameOf(finding);
      // What was not synced is lost only by a crash that loses something.
      const also = kind === 'skip-sync' ? ';lose\\([^;]+' : '';
      expect(finding.schedule).to.match(new RegExp(`^node;${kind}\\([^;]+${also}$`));
      expect([finding.needs[0], finding.replay.identical]).to.deep.equal([KINDS[kind]?.[1], true]);
      expect(finding.sentences).to.have.length(finding.schedule.split(';').length - 1);
      if (!['reset', 'torn', ORDINARY].includes(kind)) continue;
      const { stdout } = await runShell(folder, finding.minimal);
      expect(stdout, finding.minimal).to.include('1 failing').and.include(kind);
    }
  });

  it('are drawn by a swarm', async () => {
    const folder = copyFixture('world');
    const kinds = ['--swarm', '--io-error=0.3', '--refuse=0.3'];
    const found = await sweep(folder, ...kinds, '--trials=40', '--grep=io-error|refuse');
    const words = found.map(({ schedule }) => /^node;([a-z-]+)\(/.exec(schedule)?.[1]);
    expect(words).to.have.members(['io-error', 'refuse']);
    for (const { minimal } of found) {
      expect((await runShell(folder, minimal)).stdout, minimal).to.include('1 failing');
    }
  });
});
