/**
 * The same plan gives the same trial: again, in a fresh process, and for one test alone. And what
 * decides between plans is the plan alone.
 */

import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { emptyPlan, seedPlan } from '../../runtime/explore/plan.js';
import { profileRecorder } from '../../runtime/explore/profile.js';
import { TraceRecorder } from '../../runtime/trace/record.js';
import type { TrialRunner } from '../../runtime/mocha/trial-runner.js';
import type { TrialRequest, TrialResult } from '../../runtime/mocha/types.js';
import { mochaProject, runnerOf, runSpec, statesOf, testOf, trial } from './project.js';

const POOL = {
  'pool.ts': `
    export class Pool {
      private free = 2;
      private readonly waiting: (() => void)[] = [];
      async acquire(): Promise<void> {
        if (this.free > 0) { this.free--; return; }
        await new Promise<void>((resolve) => this.waiting.push(resolve));
      }
      release(): void {
        const next = this.waiting.shift();
        if (next) next(); else this.free++;
      }
    }`,
  'a.spec.ts': `
    import { randomUUID } from 'node:crypto';
    import { Pool } from './pool.js';
    const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));
    const work = async (pool: Pool, n: number) => {
      await pool.acquire();
      await sleep(Math.random() * 10);
      pool.release();
      console.log(n, Date.now(), Math.random(), randomUUID());
    };
    describe('pool', () => {
      before(() => sleep(3));
      beforeEach(() => sleep(1));
      afterEach(() => sleep(1));
      for (const n of [3, 4, 5]) {
        it('of ' + n, async () => {
          const pool = new Pool();
          await Promise.all([...Array(n).keys()].map((k) => work(pool, k)));
        });
      }
    });`,
};

describe('mocha: determinism', function () {
  this.timeout(20_000);
  let root: string;
  let runner: TrialRunner;
  let file: string;

  before(() => {
    root = mochaProject(POOL);
    runner = runnerOf(root);
    file = path.join(root, 'a.spec.ts');
  });

  const run = (seed: number, request: Partial<TrialRequest> = {}): Promise<TrialResult> =>
    trial(runner, file, { plan: seedPlan(seed, new Map()), ...request });

  it('gives the same for the same seed, and something else for another', async () => {
    const first = await Promise.all([2, 3, 6, 7].map((seed) => run(seed)));
    for (const result of first)
      expect(statesOf(result).every((s) => s.endsWith('passed'))).to.be.true;
    const again = await Promise.all([7, 6, 3, 2].map((seed) => run(seed)));
    expect(again.reverse()).to.deep.equal(first);
    expect(new Set(first.map(({ digest }) => digest)).size).to.equal(4);
    expect(new Set(first.map(({ output }) => output)).size).to.equal(4);
  });

  it('gives the same in a fresh process', async () => {
    const here = await run(7);
    const project = JSON.stringify(path.join(__dirname, 'project.js'));
    const plan = JSON.stringify(path.join(__dirname, '../../runtime/explore/plan.js'));
    const script = `
      global.before = global.after = () => {};
      const { runnerOf, trial } = require(${project});
      const { seedPlan } = require(${plan});
      const runner = runnerOf(${JSON.stringify(root)});
      trial(runner, ${JSON.stringify(file)}, { plan: seedPlan(7, new Map()) })
        .then((result) => console.log(JSON.stringify(result)));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal(JSON.parse(JSON.stringify(here)));
  });

  it('gives a test the same choices alone as among others', async () => {
    const decisionsOf = async (only?: string): Promise<unknown[]> => {
      const recorder = new TraceRecorder();
      await run(7, { ...(only && { only }), observe: (scheduler) => recorder.attach(scheduler) });
      recorder.close();
      return recorder.decisions
        .filter(({ task }) => task.scope.title === 'pool of 5')
        .map(({ kind, key, occurrence, value }) => ({ kind, key, occurrence, value }));
    };
    const among = await decisionsOf();
    expect(among.length).to.be.greaterThan(20);
    expect(await decisionsOf('pool of 5')).to.deep.equal(among);
  });

  it('has no choices of its own, whatever mocha does', async () => {
    const counted = async (): Promise<TrialResult> =>
      runSpec(`
        before(() => {});
        describe('a', () => {
          for (let i = 0; i < 50; i++) it('t' + i, function () { this.timeout(100); });
        });
        it('async', async () => {});
        it('callback', (done) => { done(); });`);
    const result = await counted();
    expect(result.tests).to.have.length(52);
    expect(result.choices).to.equal(0);
    expect((await counted()).digest).to.equal(result.digest);
  });

  it('counts choices for a profile by scope', async () => {
    const { recorder, profile } = profileRecorder();
    await trial(runner, file, {
      plan: emptyPlan,
      observe: ({ loop }) => void (loop.recorder = recorder),
    });
    const choicesOf = (scope: string): number => profile.get(scope)!.choices[3];
    expect([...profile.keys()]).to.include.members([
      'pool of 3',
      'pool "before all" hook for "of 3"',
    ]);
    expect(choicesOf('pool of 5')).to.be.greaterThan(choicesOf('pool of 3'));
  });

  it('gives the real clock and timers back', async () => {
    await run(2);
    const before = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(Date.now() - before).to.be.within(3, 5000);
    expect(before).to.be.greaterThan(Date.UTC(2024, 0, 1));
  });

  it('refuses to begin inside a trial or an async continuation', async () => {
    await null;
    const request = { file, plan: emptyPlan, console: 'swallow' } as const;
    expect(() => runner.run(request)).to.throw(/use `await runAsync\(\)`/);
  });

  it('skips a test that needs real I/O, with the call that it needs', async () => {
    const result = await runSpec(`
      import { exec } from 'node:child_process';
      import { promisify } from 'node:util';
      it('runs', async () => { await promisify(exec)('true'); });
      it('runs and goes on', async () => {
        await promisify(exec)('true').catch(() => {});
        throw new Error('since it could not run');
      });
      it('waits for a callback', (done) => {
        try { exec('true', () => done()); } catch {}
      });
      it('needs nothing', () => {});
      it('fails by itself', () => { throw new Error('own'); });
    `);
    expect(statesOf(result)).to.deep.equal([
      'runs: skipped',
      'runs and goes on: skipped',
      'waits for a callback: skipped',
      'needs nothing: passed',
      'fails by itself: failed',
    ]);
    expect(testOf(result, 'runs').skipReason).to.match(
      /^needs real I\/O: child_process\.execFile at a\.spec\.ts:4:/,
    );
    expect(result.uncontrolled.map(({ site }) => site)).to.deep.equal([
      'a.spec.ts:4:38',
      'a.spec.ts:6:15',
      'a.spec.ts:10:15',
    ]);
  });
});
