/**
 * A sweep on a queue finds what a sweep on one machine finds, seed for seed, whatever is killed on
 * the way: workers, the coordinator, Redis.
 */

import fs from 'node:fs';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { finish, mix } from '../../runtime/kernel/hash.js';
import { copyFixture, ended, runCli, startCli, type Ran } from '../cli/fixture.js';
import { bank as program } from '../../bench/novelty/services/bank.js';
import { blocksOf } from '../docs/blocks.js';
import { hasRedis, RedisServer } from '../../bench/queue/redis-server.js';

const TRIALS = 600;

/** The report without what is measured in wall-clock time. */
function found({ stdout, stderr }: Ran): object {
  expect(stdout, stderr).to.match(/^\{/);
  const {
    elapsedMs: _,
    trialsPerSecond: __,
    ...rest
  } = JSON.parse(stdout) as Record<string, unknown>;
  return rest;
}

const shapesOf = (report: object): number => (report as { shapes: number }).shapes;

/** What the trials have exercised: sums, which a trial that counts twice would change. */
function counted(folder: string): string {
  return fs.readFileSync(path.join(folder, '.detsim', 'last-sweep.json'), 'utf8');
}

/** Waits until a process has said something on standard error. */
function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => {
    let all = '';
    child.stderr!.on('data', (more: Buffer) => {
      all += String(more);
      if (all.includes(text)) resolve();
    });
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a sweep on a queue', function () {
  this.timeout(120_000);
  let redis: RedisServer;
  let folder: string;
  let alone: object;
  let sums: string;
  const running = new Set<ChildProcess>();

  before(async function () {
    if (!hasRedis()) this.skip();
    folder = copyFixture('lost-update');
    alone = found(await runCli(folder, ...options()));
    sums = counted(folder);
  });
  // The seeds that failed are kept in Redis, and would be run first by the next test.
  beforeEach(async () => {
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL');
    await redis.stop();
  });

  function options(...more: string[]): string[] {
    return ['sweep', '--no-check', '--reporter=json', `--trials=${TRIALS}`, ...more];
  }

  function start(args: string[], where = folder): ChildProcess {
    const child = startCli(where, args);
    running.add(child);
    child.once('close', () => running.delete(child));
    return child;
  }

  const worker = (where = folder) =>
    start(['worker', `--queue=${redis.url}`, '--workers=1'], where);
  const coordinator = () => {
    fs.rmSync(path.join(folder, '.detsim', 'seeds.json'), { force: true });
    return start(options(`--queue=${redis.url}`));
  };

  it('finds the same as on this machine, with workers that join and leave', async () => {
    const [first, second] = [worker(), worker()];
    const sweep = ended(coordinator());
    const left = [ended(first), ended(second)];
    await said(first, 'Working on');
    first.kill('SIGINT');
    expect(found(await sweep)).to.deep.equal(alone);
    for (const { status, stderr } of await Promise.all(left)) {
      expect(status, stderr).to.equal(0);
      expect(stderr).to.match(/Left: [\d,]+ trials? in \d+ batch/);
    }
  });

  it('loses and doubles no seed when workers, coordinator and Redis are killed', async () => {
    const draw = (n: number): number => finish(mix(7, n)) >>> 0;
    const workers = [worker(), worker()];
    let sweep = coordinator();
    let report = ended(sweep);
    let over = false;
    for (let kills = 0; !over && kills < 8; kills++) {
      await pause(400 + (draw(kills) % 800));
      if (kills === 4) await redis.crash();
      else if (kills % 4 === 1) {
        sweep.kill('SIGKILL');
        await report;
        sweep = coordinator();
        report = ended(sweep);
      } else {
        const index = draw(100 + kills) % workers.length;
        workers[index].kill('SIGKILL');
        workers[index] = worker();
      }
      void report.then(() => (over = sweep.exitCode !== null));
    }
    expect(found(await report)).to.deep.equal(alone);
    expect(counted(folder)).to.equal(sums);
    await Promise.all(workers.map((one) => one.exitCode ?? ended(one)));
  });

  it('shares a search, and finds the same however many workers there are and are killed', async () => {
    const bank = copyFixture('lost-update');
    fs.writeFileSync(path.join(bank, 'src/bank.ts'), program.source);
    const oneBug = program.spec.replace('wrong.length > 0', "wrong.includes('job done twice')");
    fs.writeFileSync(
      path.join(bank, 'test/bank.test.ts'),
      oneBug.replace(/wrong\.sort.*\)/, "'twice')"),
    );
    fs.rmSync(path.join(bank, 'test/account.test.ts'));
    const args = ['sweep', '--no-check', '--novelty', '--reporter=json', '--trials=500'];
    const search = () => start([...args, '--no-minimize', `--queue=${redis.url}`], bank);
    const one = worker(bank);
    const byOne = found(await ended(search()));
    const two = worker(bank);
    const killed = search();
    await said(one, 'Working on');
    await pause(1_000);
    killed.kill('SIGKILL');
    one.kill('SIGKILL');
    const three = worker(bank);
    const byMany = found(await ended(search()));
    expect(byMany).to.deep.equal(byOne);
    for (const left of [two, three]) left.kill('SIGINT');
    await Promise.all([two, three].map(ended));
    const alone = found(await runCli(bank, ...args, '--no-minimize'));
    expect(shapesOf(byOne)).to.be.above(0.8 * shapesOf(alone));
  });

  it('refuses a worker with other code, and a second coordinator', async () => {
    const other = copyFixture('lost-update');
    fs.appendFileSync(path.join(other, 'src/account.ts'), '\n// Edited.\n');
    const first = coordinator();
    await said(first, 'is on the queue');
    const second = await ended(start(options(`--queue=${redis.url}`)));
    expect(second.status).to.equal(2);
    expect(second.stderr).to.match(/being run already, by process \d+/);
    const refused = await ended(worker(other));
    expect(refused.status).to.equal(2);
    expect(refused.stderr).to.match(/other code than this checkout: src\/account\.ts differs/);
    first.kill('SIGINT');
    const report = await ended(first);
    expect(report.stdout).to.include('"cutShort": "interrupted"');
  });

  it('works by the two commands of the handbook', async () => {
    const page = blocksOf('docs/scale.md').find(({ code }) => code.includes('detsim worker'))!;
    const shown = page.code.matchAll(/^npx detsim (.*?) +#/gm);
    const [sweep, work] = [...shown].map(([, args]) =>
      args!.replace('redis://host:6379', redis.url).split(' '),
    );
    const joined = ended(start(work!));
    const report = await ended(start(sweep!));
    expect(report.stdout, report.stderr).to.match(/\d+\/20\d\d seeds passed/);
    expect(report.status).to.equal(1);
    const left = await joined;
    expect(left.status, left.stderr).to.equal(0);
  });

  it('says in a sentence that there is no Redis', async () => {
    const { status, stderr } = await runCli(folder, 'worker', '--queue=redis://127.0.0.1:1');
    expect(status).to.equal(2);
    expect(stderr).to.match(/There is no Redis at redis:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
  });
});
