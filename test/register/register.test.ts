/**
 * `mocha --require detsim/register`, as a user types it: without a seed it is plain mocha, with one
 * the trial of that seed is what mocha's own reporter shows.
 */

import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { emptyPlan, seedPlan } from '../../runtime/explore/plan.js';
import { profileRecorder } from '../../runtime/explore/profile.js';
import { formatSchedule, nameDeviation } from '../../runtime/explore/schedule.js';
import { Kind } from '../../runtime/kernel/choice.js';
import { planFor } from '../../cli/register/take-over.js';
import { TraceRecorder } from '../../runtime/trace/record.js';
import { mochaProject, runnerOf, trial } from '../mocha/project.js';

const register = path.join(__dirname, '../../cli/register/index.js');

const SPECS = {
  'test/counter.spec.ts': `
    import { expect } from 'chai';
    const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
    class Counter {
      value = 0;
      async add() { const v = this.value; await sleep(5); this.value = v + 1; }
    }
    describe('counter', () => {
      it('adds one after the other', async () => {
        const c = new Counter();
        await c.add();
        await c.add();
        expect(c.value).to.equal(2);
      });
      it('adds both at once', async () => {
        const c = new Counter();
        console.log('both at once');
        await Promise.all([c.add(), c.add()]);
        expect({ value: c.value }).to.deep.equal({ value: 2 });
      });
      it.skip('is skipped', () => {});
    });`,
  'test/other.spec.ts': `
    it('draws', () => { console.log(Math.random() < 2); });
    it('waits for ever', async () => { await new Promise(() => {}); });`,
};

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function mocha(root: string, args: string[], env: Record<string, string> = {}): Outcome {
  const folder = path.join(root, 'node_modules/mocha/bin');
  const bin = path.join(
    folder,
    fs.existsSync(path.join(folder, 'mocha.js')) ? 'mocha.js' : 'mocha',
  );
  const { DETSIM_SEED: _, DETSIM_REPLAY: __, ...rest } = process.env;
  return spawnSync(process.execPath, [bin, '--require', register, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...rest, ...env },
  });
}

interface JsonTest {
  readonly fullTitle: string;
  readonly duration?: number;
  readonly err: { message?: string; stack?: string; expected?: string };
}

interface JsonReport {
  readonly stats: { tests: number; passes: number; pending: number; failures: number };
  readonly passes: JsonTest[];
  readonly failures: JsonTest[];
  readonly pending: JsonTest[];
}

function report(stdout: string): JsonReport {
  return JSON.parse(stdout.slice(stdout.indexOf('{\n  "stats"'))) as JsonReport;
}

describe('mocha: detsim/register', function () {
  this.timeout(30_000);

  for (const version of ['mocha', 'old-mocha-10', 'old-mocha-11']) {
    it(`replays a seed to the reporter of ${version}`, () => {
      const root = mochaProject(SPECS, { mocha: version });
      const args = ['--reporter', 'json', 'test/counter.spec.ts', 'test/other.spec.ts'];
      const { status, stdout, stderr } = mocha(root, args, { DETSIM_SEED: '6' });
      expect(stderr).to.equal('');
      expect(status).to.equal(2);
      const { stats, passes, failures, pending } = report(stdout);
      expect(stats).to.include({ tests: 5, passes: 2, pending: 1, failures: 2 });
      expect(passes.map((t) => t.fullTitle)).to.deep.equal([
        'counter adds one after the other',
        'draws',
      ]);
      expect(passes[0].duration).to.be.greaterThan(9);
      expect(pending.map((t) => t.fullTitle)).to.deep.equal(['counter is skipped']);
      expect(failures.map((t) => t.fullTitle)).to.deep.equal([
        'counter adds both at once',
        'waits for ever',
      ]);
      expect(failures[0].err.expected).to.include('"value": 2');
      expect(failures[0].err.stack).to.match(
        /at Context\.<anonymous> \(test\/counter\.spec\.ts:19:44\)/,
      );
      expect(failures[0].err.stack).to.not.match(/runtime\/|node_modules\/mocha/);
      expect(failures[1].err.message).to.include('at test/other.spec.ts:3:40');
      expect(stdout).to.match(/^both at once\n(?:.*\n)*?true\n/);
    });
  }

  it('shows what the trial runner finds with that seed', async () => {
    const root = mochaProject(SPECS);
    const file = path.join(root, 'test/counter.spec.ts');
    const runner = runnerOf(root);
    const { recorder, profile } = profileRecorder();
    await trial(runner, file, {
      plan: emptyPlan,
      observe: ({ loop }) => void (loop.recorder = recorder),
    });
    const { tests } = await trial(runner, file, { plan: seedPlan(3, profile) });
    const args = ['--reporter', 'json', 'test/counter.spec.ts', '--grep', 'one after'];
    const { status, stdout } = mocha(root, args, { DETSIM_SEED: '3' });
    expect(status).to.equal(0);
    const { passes, stats } = report(stdout);
    expect(stats.tests).to.equal(1);
    expect(tests[0]).to.include({ title: passes[0].fullTitle, state: 'passed' });
  });

  it('replays a schedule', async () => {
    const root = mochaProject({
      'a.spec.ts': `
        const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
        it('races', async () => {
          const won = await Promise.race([sleep(5).then(() => 'a'), sleep(6).then(() => 'b')]);
          if (won === 'b') throw new Error('b has won');
        });`,
    });
    const args = ['--reporter', 'json', 'a.spec.ts'];
    expect(mocha(root, args, { DETSIM_REPLAY: 'native' }).status).to.equal(0);
    const recorder = new TraceRecorder();
    await trial(runnerOf(root), path.join(root, 'a.spec.ts'), {
      observe: (scheduler) => recorder.attach(scheduler),
    });
    recorder.close();
    const first = recorder.decisions.find((decision) => decision.kind === Kind.Timer)!;
    const late = { ...nameDeviation(first, 'races'), value: 10e6 };
    const schedule = formatSchedule({ rung: 2, deviations: [late] });
    const { status, stdout } = mocha(root, args, { DETSIM_REPLAY: schedule });
    expect(report(stdout).failures.map((t) => t.err.message)).to.deep.equal(['b has won']);
    expect(status).to.equal(1);
  });

  it('is plain mocha without a seed', () => {
    const root = mochaProject({
      'a.spec.js': `
        const started = Date.now();
        it('takes its time', (done) => { setTimeout(done, 30); });
        it('is the real world', () => { if (Date.now() - started < 25) throw new Error(); });
        it('times out', async () => { await new Promise(() => {}); }).timeout(20);`,
    });
    const { status, stdout } = mocha(root, ['--reporter', 'json', 'a.spec.js'], {
      DETSIM_SEED: '',
    });
    expect(status).to.equal(1);
    expect(report(stdout).stats).to.include({ passes: 2, failures: 1 });
    expect(fs.existsSync(path.join(root, '.detsim'))).to.equal(false);
  });

  it('runs the hooks of --require files in the trial only', () => {
    const root = mochaProject({
      'setup.js': `
        console.log('evaluated');
        exports.mochaHooks = { beforeEach() { console.log('hook'); } };
        exports.mochaGlobalSetup = () => { console.log('global'); };`,
      'a.spec.ts': `it('x', () => { console.log('test'); });`,
    });
    const args = ['--require', './setup.js', 'a.spec.ts'];
    const { stdout } = mocha(root, args, { DETSIM_SEED: '2' });
    // Mocha itself evaluates it as well.
    expect(stdout.split('\n').filter((line) => /^[a-z]+$/.test(line))).to.deep.equal([
      'evaluated',
      'evaluated',
      'global',
      'hook',
      'test',
    ]);
  });

  it('says what is wrong in one paragraph and exits with 2', () => {
    const problems: [Record<string, string>, RegExp][] = [
      [{ DETSIM_SEED: 'abc' }, /^DETSIM_SEED must be a whole number .* "abc"/],
      [{ DETSIM_SEED: '-1' }, /^DETSIM_SEED must be a whole number/],
      [{ DETSIM_SEED: '99999999999999999999' }, /^DETSIM_SEED must be a whole number/],
      [{ DETSIM_REPLAY: 'sometimes;x' }, /^The schedule begins with "sometimes"/],
      [{ DETSIM_REPLAY: 'node;nonsense' }, /^The schedule has a part that cannot be read/],
      [{ DETSIM_REPLAY: 'node', DETSIM_SEED: '1' }, /^DETSIM_SEED and DETSIM_REPLAY are both set/],
    ];
    for (const [env, expected] of problems) expect(() => planFor(env)).to.throw(expected);
    const root = mochaProject({ 'a.spec.ts': `it('x', () => {});`, 'b.spec.ts': '' });
    const runs: [string, string[], RegExp][] = [
      ['abc', [], /^DETSIM_SEED must be/],
      [
        '1',
        ['--parallel', 'b.spec.ts'],
        /^A seed or schedule cannot be replayed with .* --parallel/,
      ],
    ];
    for (const [seed, args, expected] of runs) {
      const { status, stdout, stderr } = mocha(root, [...args, 'a.spec.ts'], { DETSIM_SEED: seed });
      expect(stderr).to.match(expected);
      expect(stderr.trim().split('\n')).to.have.length(1);
      expect(stdout).to.equal('');
      expect(status).to.equal(2);
    }
  });

  it('reports a spec that cannot be evaluated as mocha does', () => {
    const root = mochaProject({ 'a.spec.ts': `\nthrow new RangeError('at load');` });
    const { status, stderr } = mocha(root, ['a.spec.ts'], { DETSIM_SEED: '2' });
    expect(status).to.equal(1);
    expect(stderr).to.match(/Exception during run: RangeError: at load\n {4}at .*a\.spec\.ts:2:7/);
  });
});
