/**
 * `detsim confirm`: what a sweep finds on rung `node` happens on plain Node too.
 */

import path from 'node:path';
import { expect } from 'chai';
import { copyFixture, runCli } from './fixture.js';

interface Report {
  readonly findings: readonly {
    readonly test: string;
    readonly rung: string;
    readonly schedule: string;
    readonly seeds: readonly string[];
    readonly minimizedTrace: string;
  }[];
}

describe('detsim confirm', function () {
  this.timeout(180_000);

  let folder: string;
  const byTest = new Map<string, Report['findings'][number]>();

  before(async () => {
    folder = copyFixture('late');
    const swept = await runCli(folder, 'sweep', '--trials=200', '--reporter=json', '--no-check');
    const { findings } = JSON.parse(swept.stdout) as Report;
    for (const finding of findings) byTest.set(finding.test, finding);
  });

  const tests = [
    'late lease is kept by its renewals',
    'late timers that are due close together keep their order',
    'late draws are small',
  ];
  for (const test of tests) {
    it(`makes "${test}" fail on plain Node`, async () => {
      const { rung, minimizedTrace } = byTest.get(test)!;
      expect(rung).to.equal('node');
      const ran = await runCli(folder, 'confirm', `--trace=${minimizedTrace}`, '--no-check');
      expect(ran.stderr).to.equal('');
      expect(ran.stdout).to.include(test);
      expect(ran.stdout).to.match(/\nconfirmed: it fails in the same way on plain Node \d/);
      expect(ran.status).to.equal(0);
    });
  }

  it('says whether it passes on plain Node without the deviations', async () => {
    const { schedule } = byTest.get('late draws are small')!;
    const ran = await runCli(folder, 'confirm', `--schedule=${schedule}`, '--no-check');
    expect(ran.stdout).to.include('\nWithout these deviations it passes there.\n');
  });

  it('confirms a seed, with all that it makes deviate', async () => {
    const [seed] = byTest.get(tests[0])!.seeds;
    const ran = await runCli(folder, 'confirm', `--seed=${seed}`, '--no-check');
    expect(ran.stdout).to.include('confirmed: ');
    expect(ran.status).to.equal(0);
  });

  it('confirms a schedule as text', async () => {
    const { schedule } = byTest.get(tests[0])!;
    const replayed = await runCli(folder, 'confirm', `--schedule=${schedule}`, '--no-check');
    expect(replayed.stdout).to.include('confirmed: ');
    expect(replayed.status).to.equal(0);
  });

  it('says of a schedule above rung node what it needs', async () => {
    const test = 'late a reply comes before the deadline';
    const { rung, minimizedTrace } = byTest.get(test)!;
    expect(rung).to.equal('stubs');
    const ran = await runCli(folder, 'confirm', `--trace=${minimizedTrace}`, '--no-check');
    expect(ran.stdout).to.include('not confirmed: it is above rung `node`\nRung stubs: ');
    expect(ran.stdout).to.match(/- The timer that .* fires .* later than asked/);
    expect(ran.status).to.equal(1);
  });

  it('does not confirm what the simulation does not show', async () => {
    const ran = await runCli(folder, 'confirm', '--schedule=node', '--no-check');
    expect(ran.stdout).to.equal('not confirmed: it passes in the simulation as well\n');
    expect(ran.status).to.equal(1);
  });

  it('makes a race in files happen on real ones', async () => {
    const files = copyFixture('files');
    const swept = await runCli(files, 'sweep', '--trials=100', '--reporter=json', '--no-check');
    const [{ rung, schedule, minimizedTrace }, ...others] = (JSON.parse(swept.stdout) as Report)
      .findings;
    expect(others).to.deep.equal([]);
    expect(rung).to.equal('node');
    expect(schedule).to.match(/visits\.ts:\d.*io\+/);
    const ran = await runCli(files, 'confirm', `--trace=${minimizedTrace}`, '--no-check');
    expect(ran.stdout).to.match(
      /begins\s+at\s+src\/visits\.ts:\d+\s+\(`(read|write)File`\)\s+takes/,
    );
    expect(ran.stdout).to.match(/\nconfirmed: it fails in the same way on plain Node \d/);
    expect(ran.stdout).to.include('\nWithout these deviations it passes there.\n');
    expect(ran.status).to.equal(0);
  });

  it('makes a late request happen on a real connection', async () => {
    const shutdown = copyFixture('shutdown');
    const swept = await runCli(shutdown, 'sweep', '--trials=100', '--reporter=json', '--no-check');
    const [{ rung, schedule, minimizedTrace }, ...others] = (JSON.parse(swept.stdout) as Report)
      .findings;
    expect(others).to.deep.equal([]);
    expect(rung).to.equal('node');
    expect(schedule).to.match(/graceful\.test\.ts:15:25\/.*io\+/);
    const ran = await runCli(shutdown, 'confirm', `--trace=${minimizedTrace}`, '--no-check');
    expect(ran.stdout).to.match(/begins\s+at\s+test\/graceful\.test\.ts:15\s+\(`get`\)\s+takes/);
    expect(ran.stdout).to.match(/\nconfirmed: it fails in the same way on plain Node \d/);
    expect(ran.stdout).to.include('\nWithout these deviations it passes there.\n');
    expect(ran.status).to.equal(0);
  });

  it('confirms what the last sweep has found, and says what it leaves out', async () => {
    const pattern = 'draws are small|before the deadline';
    const ran = await runCli(folder, 'confirm', `--grep=${pattern}`, '--no-check');
    expect(ran.stdout).to.match(/^late draws are small\n[^]*\nconfirmed: it fails in the same way/);
    expect(ran.stdout.split('\n').slice(-3)).to.deep.equal([
      '1 of 1 finding confirmed on plain Node',
      'not tried: late a reply comes before the deadline: it is on rung stubs',
      '',
    ]);
    expect(ran.status).to.equal(0);
  });

  it('does so from any folder of the project, and checks the pattern', async () => {
    const below = path.join(folder, 'test');
    const ran = await runCli(below, 'confirm', '--grep=/DRAWS are/i', '--no-check');
    expect(ran.stdout).to.include('1 of 1 finding confirmed on plain Node');
    const trace = path.join('..', byTest.get('late draws are small')!.minimizedTrace);
    const replayed = await runCli(below, 'replay', `--trace=${trace}`, '--no-check');
    expect(replayed.stdout).to.include('\nidentical: ');
    const none = await runCli(folder, 'confirm', '--grep=before the deadline', '--no-check');
    expect(none.stdout).to.match(
      /^The last sweep has no such finding that plain Node makes by itself\.\nnot tried: /,
    );
    expect(none.status).to.equal(0);
    const wrong = await runCli(folder, 'confirm', '--grep=(');
    expect(wrong.stderr).to.include('--grep must be a regular expression, but "(" is none: ');
    expect(wrong.status).to.equal(2);
  });

  it('wants one of a schedule, a trace and a seed', async () => {
    const both = await runCli(folder, 'confirm', '--seed=1', '--schedule=node');
    expect(both.stderr).to.include('--schedule="…", --trace=FILE and --seed=N, not several');
    expect(both.status).to.equal(2);
  });

  it('needs a sweep when it is to confirm what one has found', async () => {
    const unswept = await runCli(copyFixture('late'), 'confirm');
    expect(unswept.stderr).to.include('No sweep has been made in');
    expect(unswept.stderr).to.include('Run `detsim sweep` first.');
    expect(unswept.status).to.equal(2);
  });
});
