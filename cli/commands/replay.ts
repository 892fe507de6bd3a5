/**
 * `detsim replay`: runs one trial again in a process of its own, shows what it does, and runs it
 * once more to prove that it does the same again.
 */

import path from 'node:path';
import { parseSchedule } from '../../runtime/explore/schedule.js';
import type { Trace } from '../../runtime/trace/format.js';
import { parseTrace } from '../../runtime/trace/read.js';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import { formatReplay } from '../report/replay.js';
import { colorsFor } from '../report/style.js';
import { differenceOf } from '../sweep/examine.js';
import type { Replay } from '../sweep/investigation.js';
import type { JobOf, JobResults, ReplayJob } from '../sweep/protocol.js';
import { loadTrace } from '../trace/load.js';
import { SILENCE_MS } from '../sweep/sweep.js';
import type { Outcome } from '../sweep/lane.js';
import { WorkerProcess } from '../sweep/worker-process.js';
import { checkInspectFlags, inspectionOf, type InspectFlags } from './break-place.js';
import { runInspected } from './inspection.js';
import { resultOf } from './outcome.js';
import { describeDrift, relocateTrace, type Relocation } from './relocation.js';
import { checked, compileFor } from './sweep.js';
import { settingsFor, type CommonOptions, type Settings } from './settings.js';

/** What commander makes of the command line. */
export interface ReplayFlags extends CommonOptions, InspectFlags {
  readonly seed?: number;
  readonly schedule?: string;
  /** Path of a trace file. */
  readonly trace?: string;
  /** The code has been edited since the trace was made. */
  readonly relocate?: boolean;
}

/** Loading and compiling come first, then one trial. */
const PATIENCE_MS = 3 * SILENCE_MS;

/** @returns the exit status: 0 it passes, 1 it fails, 3 it does not do the same again */
export async function replayCommand(file: string | undefined, flags: ReplayFlags): Promise<number> {
  const trace = flags.trace === undefined ? undefined : loadTrace(flags.trace);
  const strict = whatToReplay(flags, trace?.trace);
  checkInspectFlags(flags);
  const patterns = patternsFor(file, trace?.trace);
  const settings = settingsFor({ ...flags, patterns, environment: process.env });
  const compiled = compileFor(settings, flags.check, process.stderr.isTTY);
  let job = jobFor(settings, strict, trace?.trace);
  let relocation: Relocation | undefined;
  if (flags.relocate && trace !== undefined) {
    const sites = resultOf(
      await runIn(settings, { kind: 'sites', file: job.file, isolate: job.isolate }),
    );
    relocation = relocateTrace(trace.trace, sites);
    job = { ...job, of: { schedule: relocation.schedule } };
  }
  const expected = relocation === undefined ? trace?.text : undefined;
  const replayed = await replayTwice(settings, job, expected);
  const [first, second] = replayed.runs;
  const shown = resultOf(first);
  await checked(compiled);
  let difference = differenceOf(shown.trace, second);
  // A trace of other code is refused before anything else is said of it.
  if (difference === undefined && expected !== undefined) checkTrace(expected, first);
  const { root } = settings.setup;
  if (flags.inspect && difference === undefined) {
    const inspect = inspectionOf(flags, parseTrace(shown.trace, 'the replay'), root);
    const inspected = await runInspected(settings, { ...replayed.job, inspect });
    difference = differenceOf(shown.trace, inspected);
  }
  process.stdout.write(
    formatReplay(shown, { root, colors: colorsFor(process.stdout), difference }),
  );
  if (relocation !== undefined) {
    process.stdout.write(`${describeDrift(relocation, shown.trace)}\n`);
  }
  if (difference !== undefined) return 3;
  return shown.failure === undefined ? 0 : 1;
}

/** Two replays agree: where a trace does not, the code has changed since it was written. */
function checkTrace(text: string, replay: Outcome<Replay>): void {
  const difference = differenceOf(text, replay);
  if (difference === undefined) return;
  const { step, site, expected, got } = difference;
  throw new UserError(
    `The trace is of other code: the first difference is at step ${step}` +
      `${site === '' ? '' : ` at ${site}`}. The trace has ${expected}; this run has ${got}. ` +
      'Replay it with --relocate, which finds its places again in the edited code, or check out ' +
      'the commit that it was written on, or sweep again.',
  );
}

function whatToReplay(flags: ReplayFlags, trace: Trace | undefined): ReplayJob['of'] {
  const given = [flags.seed, flags.schedule, flags.trace].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new UserError(
      `Say what to replay with one of --seed=N, --schedule="…" and --trace=FILE${given.length > 1 ? ', not several' : ''}. ` +
        'A sweep prints the seed and the schedule, and writes the trace.',
    );
  }
  if (flags.relocate && trace === undefined) {
    throw new UserError(
      '--relocate needs --trace=FILE: only a trace says what stood at its places. ' +
        'Give the trace that the sweep wrote.',
    );
  }
  if (flags.seed !== undefined) return { seed: flags.seed };
  const schedule = flags.schedule ?? trace?.schedule;
  if (schedule === undefined) return { seed: Number(trace!.seed) };
  userError(() => parseSchedule(schedule));
  return { schedule };
}

/** The spec files to look for: the one that is named, or that of the trace. */
export function patternsFor(file: string | undefined, trace: Trace | undefined): string[] {
  if (file !== undefined) return [file];
  if (trace === undefined) return [];
  // Traces know files from the root.
  const cwd = process.cwd();
  return [path.relative(cwd, path.join(findRoot(cwd), trace.file))];
}

/**
 * The one spec file that the command is about.
 * @param example of the command, to which a file can be added
 */
export function theSpec({ setup: { specs } }: Settings, example: string): string {
  if (specs.length === 1) return specs[0];
  throw new UserError(
    `This project has ${specs.length} test files: name the one that is meant, for instance ` +
      `${example} ${path.relative(process.cwd(), specs[0])}.`,
  );
}

function jobFor(settings: Settings, of: ReplayJob['of'], trace: Trace | undefined): ReplayJob {
  const example = 'seed' in of ? 'detsim replay --seed=…' : 'detsim replay --schedule="…"';
  return {
    kind: 'replay',
    file: theSpec(settings, example),
    isolate: settings.setup.isolate,
    of,
    title: trace?.test,
    alone: trace !== undefined,
  };
}

/** A trace does not say whether its test ran alone: mostly it did. */
async function replayTwice(
  settings: Settings,
  job: ReplayJob,
  expected: string | undefined,
): Promise<{ job: ReplayJob; runs: [Outcome<Replay>, Outcome<Replay>] }> {
  const runs = await Promise.all([runIn(settings, job), runIn(settings, job)]);
  if (!job.alone || expected === undefined) return { job, runs };
  if (differenceOf(expected, runs[0]) === undefined) return { job, runs };
  const whole = { ...job, alone: false };
  const others = await Promise.all([runIn(settings, whole), runIn(settings, whole)]);
  const fits = differenceOf(expected, others[0]) === undefined;
  return fits ? { job: whole, runs: others } : { job, runs };
}

async function runIn<K extends 'replay' | 'sites'>(
  settings: Settings,
  job: JobOf<K>,
): Promise<Outcome<JobResults[K]>> {
  const worker = new WorkerProcess(settings.setup);
  try {
    return await worker.run(job, () => PATIENCE_MS);
  } finally {
    worker.kill();
  }
}

function userError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SyntaxError ? new UserError(error.message) : error;
  }
}
