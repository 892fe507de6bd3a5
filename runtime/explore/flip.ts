/**
 * The flip: the smallest change that makes a minimized finding pass, which is two steps in the
 * other order.
 *
 * A delay that is left after minimizing is bisected between none, with which the test passes, and
 * its own length. The two runs at the end are next to each other: one fails, one passes, and what
 * has changed places between them decides. Nothing is said that these two runs do not show. The
 * idea is that of delta debugging over schedules (Choi and Zeller, ISSTA 2002).
 */

import { Kind } from '../kernel/choice.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { align } from '../trace/align.js';
import { isStep, type Trace, type TraceSite, type TraceStep } from '../trace/format.js';
import { isCallback, isUnmarked, TaskNames } from '../trace/names.js';
import { findDecision, findWakeup } from './explain.js';
import type { NamedDeviation } from './schedule.js';

/** One of the two steps. */
export interface FlipStep {
  /** Name of the task, as reports have it. */
  readonly task: string;
  /** What it does there, for instance `goes on after this.store.read()`. */
  readonly does: string;
  /** `file:line:column` */
  readonly site: string;
}

/** The test fails when `first` comes before `second`, and passes the other way round. */
export interface Flip {
  readonly first: FlipStep;
  readonly second: FlipStep;
  /** What both have to do with, and at least one of them writes, as far as that is known. */
  readonly shared: readonly string[];
  /** The run that passes, next to one that fails. */
  readonly passing: Trace;
}

/** Runs the test under deviations and records it. */
export type RecordRun = (
  deviations: readonly NamedDeviation[],
) => Promise<{ readonly ends: 'fails' | 'passes' | 'otherwise'; readonly trace: Trace }>;

/** How many of the deviations are tried, and how many runs that may take. */
const DEVIATIONS_MAX = 4;
const RUNS_MAX = 100;

/** Kinds whose delay puts one step after others. */
const DELAYS: ReadonlySet<Kind> = new Set([
  Kind.Await,
  Kind.Timer,
  Kind.Stall,
  Kind.Create,
  Kind.Io,
]);

/**
 * Finds the flip of a minimized schedule.
 * @returns undefined when no single pair of steps was seen to decide
 */
export async function findFlip(
  deviations: readonly NamedDeviation[],
  run: RecordRun,
): Promise<Flip | undefined> {
  let runs = 0;
  let best: { flip: Flip; moved: number } | undefined;
  const indices = deviations.flatMap(({ kind }, i) => (DELAYS.has(kind) ? [i] : []));
  for (const index of indices.slice(0, DEVIATIONS_MAX)) {
    const withDelay = (value: number) => {
      runs++;
      return run(deviations.map((d, i) => (i === index ? { ...d, value } : d)));
    };
    const { kind, value } = deviations[index];
    const unit = kind === Kind.Timer ? MILLISECOND : 1;
    let [passes, fails] = [0, value];
    let passing = await withDelay(0);
    if (passing.ends !== 'passes') continue;
    let failing: Trace | undefined;
    while (fails - passes > unit && runs < RUNS_MAX) {
      const middle = passes + Math.floor((fails - passes) / 2 / unit) * unit;
      const tried = await withDelay(middle);
      if (tried.ends === 'passes') [passes, passing] = [middle, tried];
      else if (tried.ends === 'fails') [fails, failing] = [middle, tried.trace];
      else break;
    }
    failing ??= (await withDelay(fails)).trace;
    const late = { ...deviations[index], value: fails };
    const found = compare(failing, passing.trace, late);
    if (found !== undefined && found.moved < (best?.moved ?? Infinity)) best = found;
  }
  return best?.flip;
}

/** The pair of steps that have changed places between two runs. */
function compare(
  failing: Trace,
  passing: Trace,
  late: NamedDeviation,
): { flip: Flip; moved: number } | undefined {
  const at = findDecision(failing, late);
  if (at === -1) return undefined;
  const woken = findWakeup(failing, at);
  const { toSecond, inOrder } = align(failing, passing);
  const wokenThere = woken === -1 ? -1 : toSecond[woken];
  if (wokenThere === -1) return undefined;
  const own = failing.events[woken] as TraceStep;
  let first: number | undefined;
  for (let index = 0; index < woken; index++) {
    const event = failing.events[index];
    if (!isStep(event) || event.task === own.task || toSecond[index] < wokenThere) continue;
    if (first === undefined || closeness(failing, index, own) > closeness(failing, first, own)) {
      first = index;
    }
  }
  if (first === undefined) return undefined;
  const names = new TaskNames(failing);
  const describe = (index: number) => describeStep(failing, names, index);
  return {
    flip: {
      ...{ first: describe(first), second: describe(woken), passing },
      shared: sharedNames(failing.sites[failing.events[first].site], failing.sites[own.site]),
    },
    moved: inOrder.filter((is) => !is).length,
  };
}

/**
 * Of the steps that one event leads to all come before the late one, or none does. The one that
 * says most to a reader stands at the same place, in the same function, or in the same file.
 */
function closeness(trace: Trace, index: number, own: TraceStep): number {
  const event = trace.events[index];
  const [mine, other] = [trace.sites[own.site], trace.sites[event.site]];
  const resumes = event.type === 'resume' ? 1 : 0;
  if (event.site === own.site) return 6 + resumes;
  const [file, otherFile] = [mine, other].map(({ position }) => position.split(':')[0]);
  if (file !== otherFile) return resumes;
  return (mine.fn === other.fn ? 4 : 2) + resumes;
}

function sharedNames(a: TraceSite, b: TraceSite): string[] {
  const touched = (site: TraceSite): string[] => [...(site.reads ?? []), ...(site.writes ?? [])];
  const writes = new Set([...(a.writes ?? []), ...(b.writes ?? [])]);
  const [mine, other] = [new Set(touched(a)), new Set(touched(b))];
  return [...writes].filter((name) => mine.has(name) && other.has(name)).sort();
}

function describeStep(trace: Trace, names: TaskNames, index: number): FlipStep {
  const step = trace.events[index] as TraceStep;
  const { position } = trace.sites[step.site];
  const does = whatItDoes(trace, names, step);
  return { task: names.of(step.task), does, site: position };
}

function whatItDoes(trace: Trace, names: TaskNames, { type, site, task }: TraceStep): string {
  const { text, fn, kind } = trace.sites[site];
  if (type === 'resume') return `goes on after ${text}`;
  const beginner = names.beginnerOf(task);
  if (isUnmarked(trace.tasks[task].path)) {
    return `goes on with what ${beginner} began in code without yield points`;
  }
  if (kind === 'function') return `${type === 'call' ? 'calls' : 'starts'} ${fn}`;
  return isCallback(trace.sites[site])
    ? `runs the callback that ${beginner} gave to ${text}`
    : `goes on with ${text}, begun by ${beginner}`;
}
