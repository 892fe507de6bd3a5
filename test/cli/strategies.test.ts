/** `--strategy` and `--novelty` on a project with six interleavings, one of which fails. */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { copyFixture, runCli, runShell, type Ran } from './fixture.js';

interface Report {
  trials: number;
  findings: {
    test: string;
    failed: number;
    seeds: string[];
    rung: string;
    deviations: number;
    schedule: string;
    replay: { identical: boolean };
    reproduce: string;
  }[];
  files: { notes: string[]; covered: Record<string, unknown>[] | null }[];
}

const parse = ({ stdout }: Ran): Report => JSON.parse(stdout) as Report;

describe('strategies of a sweep', function () {
  this.timeout(180_000);
  let folder: string;
  const sweep = (...args: string[]): Promise<Ran> => {
    // Seeds that failed in one sweep are run first in the next.
    fs.rmSync(path.join(folder, '.detsim/seeds.json'), { force: true });
    return runCli(folder, 'sweep', '--no-check', '--order=stubs', ...args);
  };

  before(() => (folder = copyFixture('interleaved')));

  it('exhaustive explores all schedules there are, and says how many', async () => {
    const report = parse(await sweep('--strategy=exhaustive', '--reporter=json'));
    // Two tasks of two points: 4! / (2! 2!); the first trial is plain Node.
    expect(report.trials).to.equal(7);
    expect(report.files[0].notes).to.deep.equal([
      '"jobs two at once": all 6 schedules explored: 6 shapes, 2 outcomes.',
      '"jobs one": all 1 schedule explored: 1 shape, 1 outcome.',
    ]);
    expect(report.findings).to.have.length(1);
    const [finding] = report.findings;
    expect(finding).to.include({ test: 'jobs two at once', failed: 1, rung: 'stubs' });
    expect(finding).to.deep.include({ seeds: [], replay: { identical: true } });
    expect(finding.deviations).to.be.within(1, 2);
    expect(finding.reproduce).to.include(`DETSIM_REPLAY="${finding.schedule}"`);
    expect((await runShell(folder, finding.reproduce)).status).to.equal(1);
  });

  it('novelty stops when nothing new comes, and says how much it has seen', async () => {
    const { stdout, status } = await sweep('--novelty');
    expect(status).to.equal(1);
    expect(stdout).to.match(/"jobs two at once": 6 shapes, 2 outcomes; \d new shapes? in the last/);
    expect(stdout).to.match(/about (?:9\d|100)% of the mass seen\.\n/);
    expect(stdout).to.match(/Rung stubs; fails in \d+ trials of \d{2,3}, first in trial \d+\./);
    expect(stdout).to.not.include('failing seeds');
    const again = await sweep('--strategy=novelty', '--workers=1', '--reporter=json');
    const { trials, files } = parse(again);
    expect(trials).to.be.below(400);
    expect(files[0].covered![0]).to.include({ ended: 'dry', shapes: 6 });
  });

  it('a seed of each strategy replays by itself', async () => {
    for (const strategy of ['pos', 'portfolio']) {
      const args = [`--strategy=${strategy}`, '--trials=60', '--reporter=json'];
      const [finding] = parse(await sweep(...args, '--no-minimize')).findings;
      expect(finding.reproduce, strategy).to.include(`DETSIM_SEED=${finding.seeds[0]} `);
      expect((await runShell(folder, finding.reproduce)).status, strategy).to.equal(1);
    }
  });

  it('finds the same with one worker as with three', async () => {
    const run = async (workers: number): Promise<object> => {
      const args = ['--trials=400', `--workers=${workers}`, '--reporter=json', '--no-minimize'];
      const report = parse(await sweep(...args));
      return { ...report, elapsedMs: 0, trialsPerSecond: 0 };
    };
    expect(await run(3)).to.deep.equal(await run(1));
  });

  it('says which strategies there are', async () => {
    const unknown = await sweep('--strategy=dfs');
    expect(unknown.status).to.equal(2);
    expect(unknown.stderr).to.include(
      '--strategy must be one of portfolio, random, delay-bounded, pct, pos, surw, exhaustive, ' +
        'novelty, but it is "dfs".',
    );
    const both = await sweep('--novelty', '--strategy=pct');
    expect(both.status).to.equal(2);
    expect(both.stderr).to.include('--novelty and --strategy=pct exclude each other');
  });
});
