/**
 * `detsim sweep`: compiles what has changed, sweeps, and prints the report.
 */

import { availableParallelism } from 'node:os';
import type { StrategyName } from '../../runtime/explore/strategies/names.js';
import type { RungName } from '../../runtime/kernel/rung.js';
import { compile, type CompileResult } from '../compile.js';
import { UserError } from '../errors.js';
import { filesOf, type Shard } from '../report/shard.js';
import { exitCode } from '../report/model.js';
import { writeReports } from '../report/outputs.js';
import type { Output } from '../report/reporters.js';
import { progressOn } from '../report/progress.js';
import { colorsFor } from '../report/style.js';
import { writeLastReport, writeLastSweep } from '../sweep/last-sweep.js';
import type { SweepQueue } from '../queue/sweep-queue.js';
import type { Lane } from '../sweep/lane.js';
import { LocalLane } from '../sweep/local-lane.js';
import { seedsFile } from '../sweep/seeds-file.js';
import { SILENCE_MS, Sweep, type ProgressSink } from '../sweep/sweep.js';
import { rungNumber, settingsFor, type CommonOptions, type Settings } from './settings.js';

/** What commander makes of the command line. */
export interface SweepFlags extends CommonOptions {
  readonly trials?: number;
  readonly minimize: boolean;
  readonly order?: RungName;
  readonly failOn?: RungName;
  readonly strategy?: StrategyName;
  /** The same as `--strategy=novelty`. */
  readonly novelty?: boolean;
  readonly seed?: number | 'random';
  readonly workers?: number;
  /** In ms. */
  readonly timeBudget?: number;
  readonly reporter?: readonly Output[];
  /** Only a part of the test files. */
  readonly shard?: Shard;
  readonly coverage?: boolean;
  /** The address of a Redis: the trials are run by workers on its queue. */
  readonly queue?: string;
}

/**
 * The type check takes a core of its own, and two processes on one core are slower than one. So the
 * worker on the last core begins when it is done, unless the trials will be over before a new
 * process has loaded the tests and the engine has optimized them.
 */
const WARM_AFTER_MS = 2000;

/** How many batches of a sweep may be on the queue at a time. */
const BATCHES_IN_FLIGHT = 256;

/** @returns the exit status */
export async function sweepCommand(
  patterns: readonly string[],
  flags: SweepFlags,
): Promise<number> {
  const settings = settingsFor({ ...flags, patterns });
  const progress = progressOn(process.stderr, colorsFor(process.stderr));
  const begun = await begin(settings, flags, progress);
  const { sweep, compiled, queue } = begun;
  const release = onInterrupt(() => sweep.interrupt());
  try {
    const check = checked(compiled);
    const running = sweep.run();
    // Type errors end the sweep as soon as they are known; what it rejects with then is of no use.
    running.catch(() => undefined);
    await Promise.race([running, check.then(() => running)]);
    const report = await running;
    if (report.cutShort === 'interrupted') compiled.check?.stop();
    progress.say('checking types …');
    await check;
    progress.end();
    writeLastSweep(settings.setup.root, report);
    writeLastReport(settings.setup.root, report);
    await queue?.close(report.cutShort !== 'interrupted');
    const { reporter, coverage = false } = flags;
    const colors = colorsFor(process.stdout);
    writeReports(report, reporter, { root: settings.setup.root, colors, coverage });
    return exitCode(report);
  } finally {
    sweep.close();
    await queue?.close(false);
    release();
  }
}

interface Begun {
  readonly sweep: Sweep;
  readonly compiled: CompileResult;
  readonly queue: SweepQueue | undefined;
}

/** Compiles the project, and makes a sweep of it: on this machine, or on those of a queue. */
async function begin(
  settings: Settings,
  flags: SweepFlags,
  progress: ProgressSink,
): Promise<Begun> {
  const { setup } = settings;
  const trials = flags.trials ?? settings.trials;
  const strategy = strategyOf(flags) ?? settings.strategy;
  const options = {
    setup,
    cwd: process.cwd(),
    trials,
    failOn: rungNumber(flags.failOn ?? settings.failOn),
    minimize: flags.minimize,
    strategy,
    timeBudgetMs: flags.timeBudget,
    silenceMs: SILENCE_MS,
    environment: settings.environment,
    specs: flags.shard === undefined ? setup.specs : filesOf(flags.shard, setup.specs),
    ...(flags.shard && { shard: flags.shard }),
    progress,
  };
  const compiling = (): CompileResult => {
    progress.say('compiling …');
    return compileFor(settings, flags.check, process.stderr.isTTY);
  };
  if (flags.queue !== undefined) {
    const compiled = compiling();
    const { beginOnQueue } = await import('../queue/begin.js');
    const { queue, place } = await beginOnQueue(flags.queue, {
      ...{ setup, trials, strategy, compiled },
      shard: flags.shard,
    });
    const lanes = queue.lanes(flags.workers ?? BATCHES_IN_FLIGHT);
    return { sweep: new Sweep({ ...options, ...place, lanes: () => lanes }), compiled, queue };
  }
  const workers = flags.workers ?? settings.workers;
  let checking = flags.check;
  const lanes = (most: number): Lane[] =>
    Array.from({ length: Math.min(workers, most) }, (_, i) =>
      i > 0 && i === availableParallelism() - 1
        ? new LocalLane(setup, () => checking || sweep.msLeft < WARM_AFTER_MS)
        : new LocalLane(setup),
    );
  const place = { lanes, seeds: seedsFile(setup.root), steady: false };
  // The workers are started first, and load mocha meanwhile.
  const sweep: Sweep = new Sweep({ ...options, ...place });
  try {
    const compiled = compiling();
    void checked(compiled).then(
      () => (checking = false),
      () => undefined,
    );
    return { sweep, compiled, queue: undefined };
  } catch (error) {
    sweep.close();
    throw error;
  }
}

/** @throws UserError when the options say two things */
export function strategyOf({
  strategy,
  novelty,
}: Pick<SweepFlags, 'strategy' | 'novelty'>): StrategyName | undefined {
  if (novelty !== true) return strategy;
  if (strategy === undefined || strategy === 'novelty') return 'novelty';
  throw new UserError(
    `--novelty and --strategy=${strategy} exclude each other: novelty is a strategy of its own.`,
  );
}

/** Brings the overlay up to date. */
export function compileFor(settings: Settings, check: boolean, pretty: boolean): CompileResult {
  const { root, config, specs } = settings.setup;
  const result = compile({ root, config, tests: specs, check, pretty });
  if (result.errors.length === 0) return result;
  result.check?.stop();
  throw new UserError(result.errors.map((error) => error.message).join('\n'));
}

/** @throws UserError with the type errors of the project */
export async function checked(compiled: CompileResult): Promise<void> {
  const answer = await compiled.check?.result;
  if (answer === undefined || answer.errors === 0) return;
  throw new UserError(
    `${answer.text}\nThe project has type errors; with --no-check they are left alone.`,
  );
}

/** The first Ctrl-C ends the sweep early; the second ends the process at once. */
function onInterrupt(interrupt: () => void): () => void {
  let interrupted = false;
  const listener = (): void => {
    if (interrupted) process.exit(130);
    interrupted = true;
    interrupt();
  };
  process.on('SIGINT', listener);
  return () => process.off('SIGINT', listener);
}
