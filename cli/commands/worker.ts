/**
 * `detsim worker`: takes part in a sweep that another machine has put on a queue.
 *
 * It waits for a sweep of its project, works until that is over, and ends. A sweep of other code is
 * refused: a seed means something for one code only.
 */

import { availableParallelism } from 'node:os';
import { loadConfig } from '../config.js';
import { compile } from '../compile.js';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import { projectName } from '../project.js';
import { count, formatNumber } from '../report/words.js';
import { codeIdentity, differences } from '../queue/code-identity.js';
import { loadPackages } from '../queue/packages.js';
import { QueueWorker } from '../queue/queue-worker.js';
import { setupAt, sweepId, type SharedSweep } from '../queue/shared-sweep.js';
import { connect, SweepStore } from '../queue/store.js';

export interface WorkerFlags {
  readonly queue: string;
  readonly workers?: number;
}

/** How often a worker looks whether the sweep goes on, in ms. */
const LOOK_EVERY_MS = 1_000;

/** How long a worker waits for a coordinator that was lost, in ms. */
const PATIENCE_MS = 10 * 60_000;

/** How long a worker that leaves waits for its batches and for Redis, in ms. */
const GOODBYE_MS = 60_000;

/** How many differences between two versions of the code are named. */
const NAMED = 3;

/** @returns the exit status */
export async function workerCommand(flags: WorkerFlags): Promise<number> {
  const root = findRoot(process.cwd());
  const packages = loadPackages(root);
  const connections = [
    await connect(packages, flags.queue),
    await connect(packages, flags.queue),
  ] as const;
  const store = new SweepStore(connections[0]);
  const leaving = new Leaving();
  try {
    const sweep = await findSweep(store, root, flags.queue, leaving);
    if (sweep === undefined) return 0;
    const setup = setupAt(root, sweep.setup);
    const workers = flags.workers ?? loadConfig(root).config.workers ?? availableParallelism();
    const worker = new QueueWorker(packages, connections[1], store, sweep, setup, workers);
    say(
      `Working on a sweep of ${count(setup.specs.length, 'file')} with ` +
        `${count(workers, 'process', 'processes')}. Ctrl-C leaves it; what runs is finished first.`,
    );
    await overOr(store, sweepId(sweep), leaving);
    // What it has to tell a Redis that is gone is lost; another worker does the batch again.
    await Promise.race([worker.close(), leaving.or(GOODBYE_MS)]);
    say(
      `Left: ${formatNumber(worker.trials)} trials in ${count(worker.batches, 'batch', 'batches')}.`,
    );
    return 0;
  } finally {
    leaving.release();
    for (const connection of connections) connection.disconnect();
  }
}

/** Waits for a sweep of this code; undefined when the worker is told to end first. */
async function findSweep(
  store: SweepStore,
  root: string,
  url: string,
  leaving: Leaving,
): Promise<SharedSweep | undefined> {
  const project = projectName(root);
  let waiting = false;
  while (!leaving.asked) {
    const sweeps = [...(await store.sweeps(project)).values()];
    const different = new Set<string>();
    for (const sweep of sweeps) {
      const other = differences(sweep.code, ownCode(root, sweep));
      if (other.length === 0) return sweep;
      for (const name of other) different.add(name);
    }
    if (sweeps.length > 0) throw new UserError(refusal(url, [...different]));
    if (!waiting) say(`There is no sweep of "${project}" at ${url} yet: waiting for one.`);
    waiting = true;
    await leaving.or(LOOK_EVERY_MS);
  }
  return undefined;
}

function refusal(url: string, different: readonly string[]): string {
  const named = different.slice(0, NAMED).join(', ');
  const more = different.length > NAMED ? ` and ${different.length - NAMED} more` : '';
  return (
    `The sweep at ${url} is of other code than this checkout: ${named}${more} ` +
    `${different.length === 1 ? 'differs' : 'differ'}. A seed means the same on machines with the ` +
    'same code only: check out the commit of the sweep, with the same Node and packages.'
  );
}

/** Compiles what the sweep is of, and says what it is made from. */
function ownCode(root: string, sweep: SharedSweep): ReturnType<typeof codeIdentity> {
  const { config, specs } = setupAt(root, sweep.setup);
  return codeIdentity(compile({ root, config, tests: specs, check: false, pretty: false }));
}

/**
 * Waits until the sweep is over, its coordinator or the Redis is lost for long, or the worker has
 * to leave. A question to a Redis that is gone is answered when it comes back.
 */
async function overOr(store: SweepStore, id: string, leaving: Leaving): Promise<void> {
  let ledAt = performance.now();
  let asking = false;
  let over = false;
  const ask = async (): Promise<void> => {
    asking = true;
    const { listed, led } = await store.stateOf(id);
    asking = false;
    if (led) ledAt = performance.now();
    over = !listed;
  };
  let failed: unknown;
  while (!leaving.asked && !over && performance.now() - ledAt <= PATIENCE_MS) {
    if (!asking) ask().catch((error: unknown) => (failed = error));
    await leaving.or(LOOK_EVERY_MS);
    if (failed !== undefined && !leaving.asked) throw failed;
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Asked to leave by a signal: the first one lets the running batches end. */
class Leaving {
  asked = false;
  private wake: () => void = () => undefined;
  private readonly listener = (): void => {
    if (this.asked) process.exit(130);
    this.asked = true;
    this.wake();
  };

  constructor() {
    process.on('SIGINT', this.listener);
    process.on('SIGTERM', this.listener);
  }

  /** Waits for a time, or until asked. */
  or(ms: number): Promise<void> {
    return new Promise((resolve) => {
      // Connections keep the process alive while there is something to wait for.
      const timer = setTimeout(resolve, ms).unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  release(): void {
    process.off('SIGINT', this.listener);
    process.off('SIGTERM', this.listener);
  }
}
