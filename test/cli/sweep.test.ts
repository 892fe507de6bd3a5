/**
 * Sweeps of small projects with planted bugs, from the command line to the pasted repro command.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { childrenOf, copyFixture, ended, runCli, runShell, startCli, type Ran } from './fixture.js';

interface JsonFinding {
  signature: string;
  kind: string;
  message: string;
  test: string;
  site: string;
  seeds: string[];
  firstTrial: number;
  rung: string;
  deviations: number;
  replay: { identical: boolean };
  trace: string;
  minimizedTrace: string;
  flip: {
    first: { task: string; does: string; site: string };
    second: { task: string; does: string; site: string };
    passingTrace: string;
  } | null;
  reproduce: string;
  minimal: string;
}

interface JsonReport {
  version: number;
  trials: number;
  passed: number;
  findings: JsonFinding[];
  hazards: JsonFinding[];
  skipped: { test: string; reason: string }[];
  uncontrolled: { call: string; site: string }[];
  cutShort: string | null;
}

function parse({ stdout }: Ran): JsonReport {
  return JSON.parse(stdout) as JsonReport;
}

/** What must not depend on speed. */
function comparable(ran: Ran): object {
  return { ...parse(ran), elapsedMs: 0, trialsPerSecond: 0 };
}

describe('detsim sweep', () => {
  describe('a lost update', function () {
    this.timeout(60_000);
    let folder: string;
    let ran: Ran;
    let finding: JsonFinding;

    before(async () => {
      folder = copyFixture('lost-update');
      ran = await runCli(folder, 'sweep', '--trials=300', '--reporter=json', '--order=stubs');
      [finding] = parse(ran).findings;
    });

    it('is one finding, whatever the number of failing seeds', () => {
      expect(ran.status, ran.stderr).to.equal(1);
      const report = parse(ran);
      expect(report.findings).to.have.length(1);
      expect(finding.test).to.equal('account keeps every deposit');
      expect(finding.kind).to.equal('assertion');
      expect(finding.site).to.equal('test/account.test.ts:30:12');
      expect(finding.seeds.length).to.be.greaterThan(5);
      expect(report.trials - report.passed).to.equal(finding.seeds.length);
    });

    it('is minimized to one late stand-in, and replays in a fresh process', () => {
      expect(finding.rung).to.equal('stubs');
      expect(finding.deviations).to.equal(1);
      expect(finding.replay.identical).to.equal(true);
      for (const file of [finding.trace, finding.minimizedTrace]) {
        expect(fs.existsSync(path.join(folder, file)), file).to.equal(true);
      }
    });

    it('says which two steps decide, and both orders replay as it says', async () => {
      const { first, second, passingTrace } = finding.flip!;
      expect(first).to.include({ task: 'the test', does: 'goes on after this.store.read()' });
      expect(second).to.include({ task: 'Account.deposit#1', site: 'src/account.ts:11:21' });
      const passes = await runCli(folder, 'replay', `--trace=${passingTrace}`, '--no-check');
      expect(passes.status, passes.stderr).to.equal(0);
      const { stdout } = await runCli(
        folder,
        'trace',
        'diff',
        finding.minimizedTrace,
        passingTrace,
      );
      expect(stdout).to.match(/steps in both runs, \d+ of them at another place/);
    });

    it('is reproduced by both commands that are printed', async () => {
      for (const line of [finding.reproduce, finding.minimal]) {
        const pasted = await runShell(folder, line);
        expect(pasted.status, line + pasted.stderr).to.equal(1);
        expect(pasted.stdout).to.include('1 failing').and.include('1 == 3');
        expect(pasted.stdout).to.include('test/account.test.ts:30:12');
      }
    });

    it('is what replay shows, identically', async () => {
      const replayed = await runCli(folder, 'replay', `--seed=${finding.seeds[0]}`, '--no-check');
      expect(replayed.stderr).to.equal('');
      expect(replayed.status).to.equal(1);
      expect(replayed.stdout).to.include('assertion failed: 1 == 3').and.include('identical: ');
      const traced = await runCli(folder, 'replay', `--trace=${finding.minimizedTrace}`);
      expect(traced.status, traced.stderr).to.equal(1);
      expect(traced.stdout).to.include('Account.deposit#1');
    });

    it('a trace of other code is refused, and the first difference is named', async () => {
      const other = copyFixture('lost-update');
      const source = path.join(other, 'src/account.ts');
      const text = fs.readFileSync(source, 'utf8');
      fs.writeFileSync(source, text.replace('await this.audit(amount);', ''));
      const trace = path.join(folder, finding.minimizedTrace);
      const replayed = await runCli(other, 'replay', `--trace=${trace}`);
      expect(replayed.status).to.equal(2);
      expect(replayed.stderr).to.match(
        /first difference is at step \d+ at src\/account\.ts:\d+:\d+\. The/,
      );
    });
  });

  describe('several spec files', function () {
    this.timeout(120_000);
    let folder: string;
    let reference: Ran;
    const args = ['sweep', '--reporter=json', '--trials=200', '--no-check'];

    before(async () => {
      folder = copyFixture('mixed');
      reference = await runCli(folder, ...args, '--workers=1');
    });

    it('finds the deadlock and says who waits for what', () => {
      const { findings } = parse(reference);
      expect(reference.status, reference.stderr).to.equal(1);
      const deadlock = findings.find(({ test }) => test.includes('both directions'))!;
      expect(deadlock.kind).to.equal('deadlock');
      expect(deadlock.message).to.include('transfer#1 waits for').and.include('src/lock.ts:7:20');
      expect(deadlock.message).to.include('in transfer (src/lock.ts:21:3)');
    });

    it('skips what needs real I/O, with its reason', () => {
      const { skipped, uncontrolled, findings } = parse(reference);
      expect(skipped.map(({ test }) => test)).to.deep.equal(['starts a process']);
      expect(skipped[0].reason).to.include(
        'child_process.ChildProcess.spawn at test/2-input-output.test.ts:5:',
      );
      expect(uncontrolled[0].call).to.equal('child_process.ChildProcess.spawn');
      expect(findings.some(({ test }) => test === 'starts a process')).to.equal(false);
    });

    beforeEach(() => fs.rmSync(path.join(folder, '.detsim/seeds.json'), { force: true }));

    it('reports the same with one worker and with three', async () => {
      const three = await runCli(folder, ...args, '--workers=3');
      expect(comparable(three)).to.deep.equal(comparable(reference));
    });

    it('survives the death of a worker, and reports the same', async () => {
      const child = startCli(folder, [...args, '--workers=2']);
      const result = ended(child);
      const killed = await killOneWorker(child.pid!);
      const ran = await result;
      expect(killed).to.equal(true);
      expect(comparable(ran)).to.deep.equal(comparable(reference));
    });

    it('prints what was found so far on Ctrl-C', async () => {
      const child = startCli(folder, [
        'sweep',
        '--trials=1000000',
        '--reporter=json',
        '--no-check',
      ]);
      const result = ended(child);
      child.stderr!.once('data', () => child.kill('SIGINT'));
      const ran = await result;
      const report = parse(ran);
      expect(report.cutShort).to.equal('interrupted');
      expect(report.trials).to.be.greaterThan(10).and.lessThan(1_000_000);
      expect(ran.status).to.equal(report.findings.length > 0 ? 1 : 0);
    });

    it('ends with the time budget', async () => {
      const ran = await runCli(
        folder,
        'sweep',
        '--trials=1000000',
        '--time-budget=4s',
        '--no-check',
      );
      expect(ran.stdout).to.include('The time budget is spent').and.include('reproduce with: ');
      expect(ran.status).to.equal(1);
    });

    it('says so when no test matches', async () => {
      const ran = await runCli(folder, 'sweep', '--grep=nonesuch', '--no-check');
      expect(ran.status).to.equal(2);
      expect(ran.stderr).to.include('No test matches --grep "nonesuch"');
    });
  });
});

/** Waits for the workers to be at work, and kills one as the system does when memory runs out. */
async function killOneWorker(pid: number): Promise<boolean> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [, second] = childrenOf(pid);
    if (second !== undefined) return process.kill(second, 'SIGKILL');
  }
}
