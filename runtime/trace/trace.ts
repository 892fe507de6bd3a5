/**
 * A trace: everything that happened in a run. It is always recorded anew, never edited, and says
 * nothing that differs between two runs of one schedule: no wall time, no process id, no stack.
 */

import type { Decision, Subject } from '../kernel/choice.js';
import { Kind } from '../kernel/choice.js';
import { RUNGS, type RungName } from '../kernel/rung.js';
import type { Recorder } from '../kernel/event-loop.js';
import type { Frame } from '../tasks/frame.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';

/** The version of the format. A reader takes the same version only. */
export const TRACE_VERSION = 1;

/** How choices are called in a trace. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  [Kind.Await]: 'await',
  [Kind.Timer]: 'timer',
  [Kind.Stall]: 'stall',
  [Kind.Create]: 'create',
  [Kind.Random]: 'random',
  [Kind.Bytes]: 'bytes',
  [Kind.Latency]: 'latency',
  [Kind.Drop]: 'drop',
  [Kind.Duplicate]: 'duplicate',
  [Kind.Reorder]: 'reorder',
  [Kind.Lose]: 'lose',
  [Kind.Torn]: 'torn',
  [Kind.Corrupt]: 'corrupt',
  [Kind.SkipSync]: 'skipSync',
  [Kind.Misdirect]: 'misdirect',
  [Kind.ReadError]: 'readError',
  [Kind.Overtake]: 'overtake',
  [Kind.Place]: 'place',
};

/** A choice: which of the `n`-th at this task and site it is, and what it picked. */
export interface TraceDecision {
  readonly type: 'decision';
  /** Virtual nanoseconds. */
  readonly at: number;
  readonly kind: string;
  readonly rung: RungName;
  /** Index into `tasks` and `sites`. */
  readonly task: number;
  readonly site: number;
  readonly n: number;
  /** Delay in nanoseconds (0 is the default), or the value drawn. */
  readonly pick: number;
}

/** A task began, a frame of it was called, or a frame went on after a yield point. */
export interface TraceStep {
  readonly type: 'start' | 'call' | 'resume';
  readonly at: number;
  readonly task: number;
  readonly site: number;
}

export type TraceEvent = TraceDecision | TraceStep;

export interface Trace {
  readonly format: 'detsim-trace';
  readonly version: typeof TRACE_VERSION;
  /** Root-relative path of the test file. */
  readonly file: string;
  /** Full title of the test. */
  readonly test: string;
  /** Decimal. */
  readonly seed: string;
  /** The text form of the schedule, when the run replayed one. */
  readonly schedule?: string;
  readonly outcome: { readonly state: string; readonly kind?: string; readonly message?: string };
  readonly sites: readonly TraceSite[];
  readonly tasks: readonly TraceTask[];
  readonly events: readonly TraceEvent[];
}

export interface TraceSite {
  /** `file:line:column` */
  readonly position: string;
  readonly kind: string;
  readonly fn: string;
  readonly text: string;
}

export interface TraceTask {
  readonly scope: string;
  readonly path: string;
}

/** Collects the events of one run. Attach it with {@link TraceRecorder.attach}. */
export class TraceRecorder implements Recorder {
  readonly decisions: Decision[] = [];
  private readonly events: TraceEvent[] = [];
  private readonly sites = new Map<string, number>();
  private readonly siteList: TraceSite[] = [];
  private readonly tasks = new Map<Subject, number>();
  private readonly taskList: TraceTask[] = [];
  private scheduler!: Scheduler;

  attach(scheduler: Scheduler): void {
    this.scheduler = scheduler;
    scheduler.recorder = this;
    scheduler.loop.recorder = this;
  }

  choice(decision: Decision, at: number): void {
    this.decisions.push(decision);
    this.events.push({
      type: 'decision',
      at,
      kind: KIND_NAMES[decision.kind],
      rung: RUNGS[decision.rung],
      task: this.taskIndex(decision.task),
      site: this.siteIndex(decision.site as SourceSite),
      n: decision.occurrence,
      pick: decision.value,
    });
  }

  entered(frame: Frame): void {
    this.step(frame.task === frame.caller?.task ? 'call' : 'start', frame, frame.site);
  }

  resumed(frame: Frame, site: SourceSite): void {
    this.step('resume', frame, site);
  }

  /** The trace of the run, with what it was a run of. */
  trace(run: Pick<Trace, 'file' | 'test' | 'seed' | 'schedule' | 'outcome'>): Trace {
    return {
      format: 'detsim-trace',
      version: TRACE_VERSION,
      ...run,
      sites: this.siteList,
      tasks: this.taskList,
      events: this.events,
    };
  }

  private step(type: TraceStep['type'], frame: Frame, site: SourceSite): void {
    const task = this.taskIndex(frame.task);
    this.events.push({ type, at: this.scheduler.loop.now, task, site: this.siteIndex(site) });
  }

  private siteIndex(site: SourceSite): number {
    const position = site.position();
    let index = this.sites.get(position);
    if (index === undefined) {
      this.sites.set(position, (index = this.siteList.length));
      this.siteList.push({ position, kind: site.kind, fn: site.fn, text: site.text });
    }
    return index;
  }

  private taskIndex(task: Subject): number {
    let index = this.tasks.get(task);
    if (index === undefined) {
      this.tasks.set(task, (index = this.taskList.length));
      this.taskList.push({ scope: task.scope.title, path: task.path() });
    }
    return index;
  }
}

/** The text of a trace file: one event a line, so that two traces compare line by line. */
export function formatTrace(trace: Trace): string {
  const { events, ...head } = trace;
  const lines = events.map((event) => `    ${JSON.stringify(event)}`).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "events": [\n${lines}\n  ]\n}\n`;
}

/**
 * Reads the text of a trace file.
 * @throws {SyntaxError} when it is not a trace, or one of another version
 */
export function parseTrace(text: string, name: string): Trace {
  let trace: Partial<Trace>;
  try {
    trace = JSON.parse(text) as Partial<Trace>;
  } catch (error) {
    throw new SyntaxError(`${name} is not a trace: ${(error as Error).message}.`);
  }
  if (trace.format !== 'detsim-trace') {
    throw new SyntaxError(
      `${name} is not a trace of detsim. Give the path of a detsim_failure_trace.json or ` +
        'detsim_minimized_trace.json that a sweep has written.',
    );
  }
  if (trace.version !== TRACE_VERSION) {
    throw new SyntaxError(
      `${name} is a trace of format version ${String(trace.version)}, and this detsim reads ` +
        `version ${TRACE_VERSION}. Use the detsim that wrote it, or sweep again.`,
    );
  }
  return trace as Trace;
}

/** Where two traces part: the first event that differs, or undefined when they are equal. */
export function firstDifference(expected: Trace, got: Trace): Divergence | undefined {
  const length = Math.max(expected.events.length, got.events.length);
  for (let step = 0; step < length; step++) {
    const a = describeEvent(expected, step);
    const b = describeEvent(got, step);
    if (a !== b) return { step, expected: a, got: b };
  }
  if (JSON.stringify(expected.outcome) !== JSON.stringify(got.outcome)) {
    const outcome = (trace: Trace): string => `the end: ${JSON.stringify(trace.outcome)}`;
    return { step: length, expected: outcome(expected), got: outcome(got) };
  }
  return undefined;
}

export interface Divergence {
  readonly step: number;
  readonly expected: string;
  readonly got: string;
}

function describeEvent(trace: Trace, step: number): string {
  const event = trace.events[step];
  if (event === undefined) return 'nothing more';
  const { path, scope } = trace.tasks[event.task];
  const { position, text } = trace.sites[event.site];
  const what = event.type === 'decision' ? `${event.kind} #${event.n} = ${event.pick}` : event.type;
  return `${what} at ${position} (${text}) in ${path || scope || 'the test'}, t=${event.at}ns`;
}
