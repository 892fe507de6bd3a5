/**
 * `detsim confirm`: makes a finding on rung `node` happen on plain Node, with real timers, the real
 * event loop, and real delay where its schedule has it. What plain Node does is no false alarm.
 * Without a schedule it takes the findings of the last sweep.
 */

import path from 'node:path';
import { rungOf } from '../../runtime/explore/plan.js';
import { formatSchedule, parseSchedule } from '../../runtime/explore/schedule.js';
import { Kind } from '../../runtime/kernel/choice.js';
import { NODE, type Rung } from '../../runtime/kernel/rung.js';
import type { Trace } from '../../runtime/trace/format.js';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import {
  formatConfirmation,
  formatConfirmations,
  reasonAgainst,
  type Confirmation,
} from '../report/confirm.js';
import type { Finding } from '../report/model.js';
import { colorsFor, type Colors } from '../report/style.js';
import type { Replay } from '../sweep/investigation.js';
import { readLastReport } from '../sweep/last-sweep.js';
import type { Job, JobOf, JobResults, ReplayJob, SeenFailure } from '../sweep/protocol.js';
import { WorkerProcess } from '../sweep/worker-process.js';
import { LONGEST_MS } from '../worker/unconfirmable.js';
import { loadTrace } from '../trace/load.js';
import { resultOf } from './outcome.js';
import { patternsFor, theSpec } from './replay.js';
import { titlePattern } from '../values.js';
import { settingsFor, type CommonOptions, type Settings } from './settings.js';
import { checked, compileFor } from './sweep.js';

/** What commander makes of the command line. */
export interface ConfirmFlags extends CommonOptions {
  readonly seed?: number;
  readonly schedule?: string;
  /** Path of a trace file. */
  readonly trace?: string;
}

/**
 * How much longer I/O takes than the schedule says, for each time that plain Node is tried. The
 * minimized delay is the shortest that is enough in virtual time, where all else takes none; how
 * long a real operation takes has no bound.
 */
const STRETCHED = [1, 1, 1, 1.5, 1.5, 1.5, 2, 2, 4, 4];

/** For loading, and for a machine that is busy. */
const PATIENCE_MS = 60_000;

/** @returns the exit status: 0 what was tried is confirmed, 1 it is not */
export async function confirmCommand(
  file: string | undefined,
  flags: ConfirmFlags,
): Promise<number> {
  const given = [flags.seed, flags.schedule, flags.trace].filter((one) => one !== undefined);
  if (given.length > 1) {
    throw new UserError(
      'Say what to confirm with one of --schedule="…", --trace=FILE and --seed=N, not several: the ' +
        'minimized schedule of a finding is best, or the trace of it.',
    );
  }
  const colors = colorsFor(process.stdout);
  if (given.length === 0) return confirmFindings(file, flags, colors);
  const confirmation = await confirmOne(file, flags);
  process.stdout.write(formatConfirmation(confirmation, colors));
  return confirmation.confirmed === true ? 0 : 1;
}

/** Confirms what the last sweep has found, one after the other, each by its minimized trace. */
async function confirmFindings(
  file: string | undefined,
  flags: ConfirmFlags,
  colors: Colors,
): Promise<number> {
  const root = findRoot(process.cwd());
  const { report, cwd } = readLastReport(root);
  const only = file === undefined ? undefined : path.resolve(file);
  // The paths of the report start from where the sweep ran.
  process.chdir(path.join(root, cwd));
  const title = flags.grep === undefined ? undefined : titlePattern(flags.grep);
  const meant = [...report.findings, ...report.hazards].filter(
    (one) =>
      (only === undefined || only === path.resolve(one.file)) && title?.test(one.test) !== false,
  );
  const confirmations: Confirmation[] = [];
  const left: Finding[] = [];
  for (const finding of meant) {
    const trace = finding.minimized?.trace ?? finding.trace;
    if (trace === undefined || reasonAgainst(finding) !== undefined) {
      left.push(finding);
      continue;
    }
    // Types are the same for all.
    const check = flags.check && confirmations.length === 0;
    const confirmation = await confirmOne(undefined, { ...flags, check, trace });
    process.stdout.write(`${formatConfirmation(confirmation, colors)}\n`);
    confirmations.push(confirmation);
  }
  process.stdout.write(formatConfirmations(confirmations, left));
  return confirmations.every(({ confirmed }) => confirmed === true) ? 0 : 1;
}

async function confirmOne(file: string | undefined, flags: ConfirmFlags): Promise<Confirmation> {
  const trace = flags.trace === undefined ? undefined : loadTrace(flags.trace).trace;
  const of = whatToConfirm(flags, trace);
  const settings = settingsFor({ ...flags, patterns: patternsFor(file, trace) });
  const spec = theSpec(settings, `detsim confirm --${Object.keys(of)[0]}=…`);
  const compiled = compileFor(settings, flags.check, process.stderr.isTTY);
  const job = { file: spec, isolate: settings.setup.isolate } as const;
  const simulated = await runIn(settings, {
    ...job,
    kind: 'replay',
    of,
    title: trace?.test,
    alone: trace !== undefined,
  });
  await checked(compiled);
  return confirm(settings, { ...job, kind: 'confirm', of }, simulated);
}

function whatToConfirm({ seed, schedule }: ConfirmFlags, trace?: Trace): ReplayJob['of'] {
  if (seed !== undefined) return { seed };
  if (trace !== undefined && trace.schedule === undefined) return { seed: Number(trace.seed) };
  const text = schedule ?? trace!.schedule!;
  rungOfSchedule(text);
  return { schedule: text };
}

function rungOfSchedule(schedule: string): Rung {
  try {
    return parseSchedule(schedule).rung;
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}

/** Runs the test on plain Node until it fails as it does in the simulation. */
async function confirm(
  settings: Settings,
  job: Omit<JobOf<'confirm'>, 'title'>,
  simulated: Replay,
): Promise<Confirmation> {
  const { failure, sentences, unconfirmable } = simulated;
  const base = { simulated: failure, sentences, runs: 0 };
  if (failure === undefined) return { ...base, reason: 'it passes in the simulation as well' };
  const rung = 'seed' in job.of ? rungOf(job.of.seed) : rungOfSchedule(job.of.schedule);
  if (rung > NODE) return { ...base, reason: 'it is above rung `node`', rung };
  if (unconfirmable !== undefined) return { ...base, reason: unconfirmable };
  const run = (of: ReplayJob['of']) => runIn(settings, { ...job, of, title: failure.title });
  const others = new Map<string, SeenFailure>();
  for (const [index, factor] of STRETCHED.entries()) {
    const plain = await run(stretched(job.of, factor));
    if (plain.failure !== undefined && isSame(failure, plain.failure)) {
      const control = await run({ seed: 0 });
      return { ...base, runs: index + 1, factor, confirmed: true, control: control.state };
    }
    if (plain.failure !== undefined) others.set(plain.failure.signature, plain.failure);
  }
  return { ...base, runs: STRETCHED.length, others: [...others.values()] };
}

function stretched(of: ReplayJob['of'], factor: number): ReplayJob['of'] {
  if ('seed' in of || factor === 1) return of;
  const schedule = parseSchedule(of.schedule);
  const deviations = schedule.deviations.map((one) =>
    one.kind === Kind.Io ? { ...one, value: Math.round(one.value * factor) } : one,
  );
  return { schedule: formatSchedule({ ...schedule, deviations }) };
}

/** On plain Node a test that is stuck runs into its timeout. */
function isSame(simulated: SeenFailure, plain: SeenFailure): boolean {
  if (plain.signature === simulated.signature) return true;
  return simulated.kind === 'deadlock' && plain.kind === 'timeout';
}

/** Runs a job in a process that has done nothing before. */
async function runIn<K extends Job['kind']>(
  settings: Settings,
  job: JobOf<K>,
): Promise<JobResults[K]> {
  const worker = new WorkerProcess(settings.setup);
  try {
    return resultOf(await worker.run(job, () => LONGEST_MS + PATIENCE_MS));
  } finally {
    worker.kill();
  }
}
