/**
 * A sweep on a queue: trials a second with 1, 2 and 4 workers, what it asks of Redis, and how many
 * seeds are lost or doubled when workers and coordinators are killed at random.
 *
 *     node dist/bench/queue.js [--json] [--trials=4000] [--rounds=3] [--kills=50]
 *
 * Workers are processes of their own with one trial at a time, each on one core (see
 * queue/processes.ts); with as many workers as cores, coordinator and Redis share the cores with
 * them. A trial is that of a file whose tests take some ms together. The rate is that between a
 * tenth of the trials and the last, since the first ones wait for workers to load. Kills fall on
 * sweeps one after the other; each has to end with the very counts of a sweep that nobody has
 * disturbed.
 */

import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { finish, mix } from '../runtime/kernel/hash.js';
import { figure, median, printFigures, type Figure } from './figures.js';
import { busyMs, ended, start, startSweep, startWorker } from './queue/processes.js';
import { QueueProgress } from './queue/progress.js';
import { RedisServer } from './queue/redis-server.js';
import { counters, inProject } from './sweep/project.js';

/** The most trials of each sweep whose processes are killed. */
const KILLED_TRIALS = 2000;

/** How often the test file has its three tests: a trial is some 5 ms. */
const TIMES = 10;

export interface QueueSize {
  readonly trials: number;
  readonly workers: readonly number[];
  /** How often each number of workers is measured, in turn; the figures are medians. */
  readonly rounds: number;
  readonly kills: number;
}

/** @returns the figures, and the seeds that were lost or doubled */
export async function benchQueue(size: QueueSize): Promise<{ figures: Figure[]; wrong: number }> {
  return inProject(async (root) => {
    const counts = size.workers;
    const rounds: Measured[][] = [];
    for (let i = 0; i < size.rounds; i++) {
      const round: Measured[] = [];
      for (const count of counts) round.push(await rateWith(root, size.trials, count));
      rounds.push(round);
    }
    const { kills, wrong } = await inProject((own) => killed(own, size));
    const of = (key: keyof Measured, index: number): number =>
      median(rounds.map((round) => round[index][key]));
    const named = (count: number): string => `${count} worker${count === 1 ? '' : 's'}`;
    const bench = 'queue';
    const last = counts.length - 1;
    return {
      wrong,
      figures: [
        ...counts.map((count, i) =>
          figure({
            bench,
            figure: `trials on a queue, ${named(count)}`,
            value: of('rate', i),
            unit: '/s',
            ...(i > 0 && {
              against: { [named(counts[0])]: of('rate', 0) },
              limit: 'two on two cores: at least 1.7 x one',
            }),
          }),
        ),
        ...counts.map((count, i) =>
          figure({
            bench,
            figure: `time without work, ${named(count)}`,
            value: 100 * of('idle', i),
            unit: '%',
          }),
        ),
        figure({
          bench,
          figure: 'commands of Redis for each batch',
          value: of('commands', last),
          unit: '',
        }),
        figure({
          bench,
          figure: 'memory of Redis for each batch that is done',
          value: of('memory', last),
          unit: 'bytes',
        }),
        figure({
          bench,
          figure: `seeds lost or doubled, ${kills} kills`,
          value: wrong,
          unit: '',
          limit: '0',
        }),
      ],
    };
  }, counters(TIMES));
}

interface Measured {
  /** Trials a second. */
  readonly rate: number;
  /** The share of the time in which a worker has nothing to do. */
  readonly idle: number;
  /** Of Redis, for each batch. */
  readonly commands: number;
  readonly memory: number;
}

async function rateWith(root: string, trials: number, count: number): Promise<Measured> {
  forget(root);
  const server = await RedisServer.start();
  const workers = Array.from({ length: count }, (_, i) => startWorker(root, server.url, i));
  const busy = (): number => workers.reduce((sum, worker) => sum + busyMs(worker), 0);
  const progress = new QueueProgress(server.url, busy);
  try {
    const sweep = startSweep(root, server.url, trials);
    const [first, last] = await progress.follow(trials / 10, trials);
    await ended(sweep);
    const batches = last.batches - first.batches;
    const elapsed = last.at - first.at;
    return {
      rate: ((last.trials - first.trials) / elapsed) * 1000,
      idle: Math.max(0, 1 - (last.busy - first.busy) / elapsed / count),
      commands: (last.commands - first.commands) / batches,
      memory: (last.memory - first.memory) / batches,
    };
  } finally {
    progress.close();
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(workers.map(ended));
    await server.stop();
  }
}

/** Kills processes at random until there were enough kills. */
async function killed(
  root: string,
  { trials, kills: most }: QueueSize,
): Promise<{ kills: number; wrong: number }> {
  const each = Math.min(KILLED_TRIALS, trials);
  forget(root);
  await ended(start(root, ['sweep', '--no-check', `--trials=${each}`]));
  const undisturbed = countsOf(root);
  let kills = 0;
  let wrong = 0;
  const draw = (n: number): number => finish(mix(n, 1)) >>> 0;
  while (kills < most) {
    forget(root);
    const server = await RedisServer.start();
    const workers = [0, 1].map((i) => startWorker(root, server.url, i));
    let sweep = startSweep(root, server.url, each);
    while (sweep.exitCode === null) {
      const pause = 300 + (draw(kills) % 700);
      await Promise.race([ended(sweep), new Promise((resolve) => setTimeout(resolve, pause))]);
      if (sweep.exitCode !== null || kills >= most) continue;
      kills++;
      const victim = draw(-kills) % 3;
      if (victim === 2) {
        sweep.kill('SIGKILL');
        await ended(sweep);
        sweep = startSweep(root, server.url, each);
      } else {
        workers[victim].kill('SIGKILL');
        workers[victim] = startWorker(root, server.url, victim);
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

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      trials: { type: 'string', default: '4000' },
      rounds: { type: 'string', default: '3' },
      kills: { type: 'string', default: '50' },
    },
  });
  const { figures } = await benchQueue({
    trials: Number(values.trials),
    workers: [1, 2, 4],
    rounds: Number(values.rounds),
    kills: Number(values.kills),
  });
  printFigures(figures, values.json);
}

if (require.main === module) void main();
