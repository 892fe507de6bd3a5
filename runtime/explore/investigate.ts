/**
 * Investigates a failing seed: does the test fail alone, which deviations make it fail, what is the
 * least of them, and what happens under those.
 */

import { deviates, noDeviation, Kind } from '../kernel/choice.js';
import { RUNGS, type Rung, type RungName } from '../kernel/rung.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { Trace } from '../trace/format.js';
import { TraceRecorder } from '../trace/record.js';
import { explain } from './explain.js';
import { findFlip, type Flip } from './flip.js';
import { minimize, type Candidate } from './minimize.js';
import { planOf, type Origin } from './origin.js';
import type { ScopePlan } from './plan.js';
import type { Profile } from './profile.js';
import { formatSchedule, nameDeviation, type Schedule } from './schedule.js';
import { schedulePlan } from './strategies/replay.js';
import { signatureOf, type Signed } from './signature.js';

/** What an investigation needs to know of a run. */
export interface RunOutcome {
  readonly tests: readonly {
    readonly title: string;
    readonly state: string;
    readonly failure?: Signed & { readonly site?: string };
  }[];
}

/** Runs one trial: of the test with the full title `only`, or of the whole file. */
export type Run<R extends RunOutcome> = (
  plan: ScopePlan,
  only: string | undefined,
  observe?: (scheduler: Scheduler) => void,
) => Promise<R>;

export interface Case {
  /** Root-relative path of the test file. */
  readonly file: string;
  /** Full title of the failing test. */
  readonly test: string;
  readonly of: Origin;
  readonly signature: string;
}

export interface Investigation<R> {
  /** Whether the test fails with this seed when it is run alone. */
  readonly alone: boolean;
  /** The failing run as it was recorded. */
  readonly result: R;
  readonly trace: Trace;
  readonly schedule: Schedule;
  readonly scheduleText: string;
  /** The highest rung among the deviations that are left. */
  readonly rung: RungName;
  readonly minimizedResult: R;
  readonly minimizedTrace: Trace;
  /** What the deviations do, one sentence each. */
  readonly sentences: readonly string[];
  /** Which two steps decide; undefined when no pair was seen to. */
  readonly flip: Flip | undefined;
}

/**
 * Investigates a failing seed.
 * @returns undefined when the seed does not fail in this way any more, which is a defect in
 *   determinism
 */
export async function investigate<R extends RunOutcome>(
  run: Run<R>,
  found: Case,
  profile: Profile,
): Promise<Investigation<R> | undefined> {
  const recorded = await recordFailing(run, found, profile);
  if (recorded === undefined) return undefined;
  const { only, recorder, result } = recorded;
  const oracle = async (deviations: readonly Candidate[]): Promise<boolean> =>
    failsLike(await run(schedulePlan(scheduleOf(deviations), found.test), only), found);
  const least = await minimize(candidates(recorder, found, profile), oracle);
  const schedule = scheduleOf(least);
  const scheduleText = formatSchedule(schedule);
  const minimized = await record(run, schedulePlan(schedule, found.test), only);
  if (!failsLike(minimized.result, found)) return undefined;
  const minimizedTrace = traceOf(minimized, { ...found, of: { schedule: scheduleText } });
  const flip = await findFlip(schedule.deviations, async (deviations) => {
    const other = { rung: schedule.rung, deviations: deviations.filter((d) => d.value !== 0) };
    const recorded = await record(run, schedulePlan(other, found.test), only);
    const trace = traceOf(recorded, { ...found, of: { schedule: formatSchedule(other) } });
    return { ends: endOf(recorded.result, found), trace };
  });
  return {
    alone: only !== undefined,
    result,
    trace: traceOf(recorded, found),
    schedule,
    scheduleText,
    rung: RUNGS[schedule.rung],
    minimizedResult: minimized.result,
    minimizedTrace,
    sentences: explain(minimizedTrace, schedule.deviations),
    flip,
  };
}

function endOf(result: RunOutcome, found: Case): 'fails' | 'passes' | 'otherwise' {
  if (failsLike(result, found)) return 'fails';
  const test = result.tests.find((t) => t.title === found.test);
  return test?.state === 'passed' ? 'passes' : 'otherwise';
}

/** Whether the test of the case fails with the signature of the case. */
export function failsLike(result: RunOutcome, found: Case): boolean {
  const test = result.tests.find((t) => t.title === found.test);
  return test?.failure !== undefined && signatureOf(test.failure, test.title) === found.signature;
}

/** A run, and what was recorded of it. */
export interface Recorded<R> {
  readonly recorder: TraceRecorder;
  readonly result: R;
}

/**
 * Records one run.
 * @param watch told of every event of the trace, with its number, which counts from 1
 */
export async function record<R extends RunOutcome>(
  run: Run<R>,
  plan: ScopePlan,
  only: string | undefined,
  watch?: (step: number) => void,
): Promise<Recorded<R>> {
  const recorder = new TraceRecorder(watch);
  try {
    return { recorder, result: await run(plan, only, (scheduler) => recorder.attach(scheduler)) };
  } finally {
    recorder.close();
  }
}

async function recordFailing<R extends RunOutcome>(
  run: Run<R>,
  found: Case,
  profile: Profile,
): Promise<(Recorded<R> & { only: string | undefined }) | undefined> {
  for (const only of [found.test, undefined]) {
    const recorded = await record(run, planOf(found.of, profile), only);
    if (failsLike(recorded.result, found)) return { ...recorded, only };
  }
  return undefined;
}

/** The trace of a recorded run. */
export function traceOf<R extends RunOutcome>(
  { recorder, result }: Recorded<R>,
  { file, test: title, of }: Pick<Case, 'file' | 'test' | 'of'>,
): Trace {
  const test = result.tests.find((t) => t.title === title);
  const { kind, message, site } = test?.failure ?? {};
  return recorder.trace({
    file,
    test: title,
    seed: 'seed' in of ? String(of.seed) : '0',
    ...('seed' in of ? {} : { schedule: of.schedule }),
    outcome: {
      state: test?.state ?? 'missing',
      ...(kind === undefined ? {} : { kind, message }),
      ...(site === undefined ? {} : { site }),
    },
  });
}

/** The deviations of a recorded run, in the order in which they were made. */
function candidates(recorder: TraceRecorder, found: Case, profile: Profile): Candidate[] {
  const deviations = recorder.decisions
    .filter(deviates)
    .map((d): Candidate => ({ ...nameDeviation(d, found.test), rung: d.rung }));
  const { strategy } = planOf(found.of, profile, found.test)(found.test);
  if (strategy === noDeviation || strategy.bytesSeed === 0) return deviations;
  const bytes = { kind: Kind.Bytes, scope: '', site: '', task: '', occurrence: 1 } as const;
  return [...deviations, { ...bytes, value: strategy.bytesSeed, rung: 1 }];
}

function scheduleOf(deviations: readonly Candidate[]): Schedule {
  const rung = deviations.reduce<Rung>((highest, d) => (d.rung > highest ? d.rung : highest), 0);
  return { rung, deviations: deviations.map(({ rung: _, ...named }) => named) };
}
