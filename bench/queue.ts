/**
 * A sweep on a queue: trials a second with 1, 2 and 4 workers, what it asks of Redis, and how many
 * seeds are lost or doubled when workers and coordinators are killed at random.
 *
 *     node dist/bench/queue.js [--json] [--trials=20000] [--kills=50]
 *
 * Workers are processes of their own with one trial at a time. The rate is that between a tenth of
 * the trials and the last, since the first ones wait for workers to load. Kills fall on sweeps one
 * after the other; each has to end with the very counts of a sweep that nobody disturbed.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { finish, mix } from '../runtime/kernel/hash.js';
import { figure, printFigures, type Figure } from './figures.js';
import { RedisServer } from './queue/redis-server.js';
import { inProject } from './sweep/project.js';

const detsim = path.join(__dirname, '../cli/bin.js');

/** Trials of each sweep whose processes are killed. */
const KILLED_TRIALS = 2000;

export interface QueueSize {
  readonly trials: number;
  readonly workers: readonly number[];
  readonly kills: number;
}

/** @returns the figures, and the seeds that were lost or doubled */
export async function benchQueue(size: QueueSize): Promise<{ figures: Figure[]; wrong: number }> {
  return inProject(async (root) => {
    const rates: Record<string, number> = {};
    let asked = { commands: 0, memory: 0 };
    for (const count of size.workers) {
      const measured = await rateWith(root, size.trials, count);
      rates[`${count} worker${count === 1 ? '' : 's'}`] = measured.rate;
      asked = measured;
    }
    const { kills, wrong } = await killed(root, size.kills);
    const [first, ...more] = Object.entries(rates);
    const name = 'trials on a queue';
    return {
      wrong,
      figures: [
        figure({ bench: 'queue', figure: `${name}, ${first[0]}`, value: first[1], unit: '/s' }),
        ...more.map(([workers, value]) =>
          figure({
            bench: 'queue',
            figure: `${name}, ${workers}`,
            value,
            unit: '/s',
            against: { [first[0]]: first[1] },
            limit: 'two on two cores: at least 1.7 x one',
          }),
        ),
        figure({
          bench: 'queue',
          figure: 'commands of Redis for each batch',
          value: asked.commands,
          unit: '',
        }),
        figure({
          bench: 'queue',
          figure: 'memory of Redis for each batch that is done',
          value: asked.memory,
          unit: 'bytes',
        }),
        figure({
          bench: 'queue',
          figure: `seeds lost or doubled, ${kills} kills`,
          value: wrong,
          unit: '',
          limit: '0',
        }),
      ],
    };
  });
}

interface Measured {
  /** Trials a second. */
  readonly rate: number;
  /** Of Redis, for each batch. */
  readonly commands: number;
  readonly memory: number;
}

async function rateWith(root: string, trials: number, count: number): Promise<Measured> {
  forget(root);
  const server = await RedisServer.start();
  const redis = new Redis(server.url);
  const workers = Array.from({ length: count }, () => start(root, workerArgs(server)));
  try {
    const sweep = start(root, sweepArgs(server, trials));
    const samples: { at: number; batches: number; commands: number; memory: number }[] = [];
    const timer = setInterval(() => void sample().then((one) => one && samples.push(one)), 100);
    const sample = async () => {
      const [id] = await redis.hkeys('detsim:sweeps');
      if (id === undefined) return undefined;
      const batches = await redis.xlen(`detsim:${id}:results`);
      const info = await redis.info();
      const of = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
      const [commands, memory] = [of('total_commands_processed'), of('used_memory')];
      return { at: performance.now(), batches, commands, memory };
    };
    await ended(sweep);
    clearInterval(timer);
    const all = samples.at(-1)!.batches;
    const first = samples.find(({ batches }) => batches >= all / 10)!;
    const last = samples.find(({ batches }) => batches === all)!;
    const batches = last.batches - first.batches;
    return {
      rate: ((trials * batches) / all / (last.at - first.at)) * 1000,
      // Three commands of each sample are of this benchmark.
      commands: (last.commands - first.commands) / batches,
      memory: (last.memory - first.memory) / batches,
    };
  } finally {
    redis.disconnect();
    for (const worker of workers) worker.kill('SIGKILL');
    await server.stop();
  }
}

/** Kills processes at random until there were enough kills. */
async function killed(root: string, most: number): Promise<{ kills: number; wrong: number }> {
  forget(root);
  await ended(start(root, ['sweep', '--no-check', `--trials=${KILLED_TRIALS}`]));
  const undisturbed = countsOf(root);
  let kills = 0;
  let wrong = 0;
  const draw = (n: number): number => finish(mix(n, 1)) >>> 0;
  while (kills < most) {
    forget(root);
    const server = await RedisServer.start();
    const workers = [1, 2].map(() => start(root, workerArgs(server)));
    let sweep = start(root, sweepArgs(server, KILLED_TRIALS));
    while (sweep.exitCode === null) {
      const pause = 300 + (draw(kills) % 700);
      await Promise.race([ended(sweep), new Promise((resolve) => setTimeout(resolve, pause))]);
      if (sweep.exitCode !== null || kills >= most) continue;
      kills++;
      const victim = draw(-kills) % 3;
      if (victim === 2) {
        sweep.kill('SIGKILL');
        await ended(sweep);
        sweep = start(root, sweepArgs(server, KILLED_TRIALS));
      } else {
        workers[victim].kill('SIGKILL');
        workers[victim] = start(root, workerArgs(server));
      }
    }
    wrong += countsOf(root) === undisturbed ? 0 : 1;
    for (const worker of workers) worker.kill('SIGKILL');
    await server.stop();
  }
  return { kills, wrong };
}

/** What the last sweep has counted, site by site: a trial more or less would change it. */
function countsOf(root: string): string {
  return fs.readFileSync(path.join(root, '.detsim', 'last-sweep.json'), 'utf8');
}

function forget(root: string): void {
  for (const name of ['seeds.json', 'last-sweep.json']) {
    fs.rmSync(path.join(root, '.detsim', name), { force: true });
  }
}

function sweepArgs({ url }: RedisServer, trials: number): string[] {
  return ['sweep', '--no-check', `--queue=${url}`, `--trials=${trials}`];
}

function workerArgs({ url }: RedisServer): string[] {
  return ['worker', `--queue=${url}`, '--workers=1'];
}

function start(cwd: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [detsim, ...args], { cwd, stdio: 'ignore' });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('close', () => resolve()));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      trials: { type: 'string', default: '20000' },
      kills: { type: 'string', default: '50' },
    },
  });
  const [trials, kills] = [Number(values.trials), Number(values.kills)];
  const { figures } = await benchQueue({ trials, kills, workers: [1, 2, 4] });
  printFigures(figures, values.json);
}

if (require.main === module) void main();
