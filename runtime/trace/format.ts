/**
 * The trace format: everything that happened in a run, as one JSON document.
 *
 * A trace is always recorded anew, never edited, and says nothing that differs between two runs of
 * one schedule: no wall time, no process id, no absolute path, no identity of an object. What each
 * field means is told in docs/trace-format.md.
 */

import { Kind } from '../kernel/choice.js';
import type { RungName } from '../kernel/rung.js';

/**
 * The version of the format. A reader takes traces of the same major version and of the same or an
 * older minor one: a minor version only adds fields and types of events.
 */
export const TRACE_VERSION = 1;
export const TRACE_MINOR = 2;

/** How choices are called in a trace. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  [Kind.Await]: 'await',
  [Kind.Timer]: 'timer',
  [Kind.Stall]: 'stall',
  [Kind.Create]: 'create',
  [Kind.Random]: 'random',
  [Kind.Bytes]: 'bytes',
  [Kind.Operation]: 'operation',
  [Kind.Select]: 'select',
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
  [Kind.Io]: 'io',
  [Kind.Chunk]: 'chunk',
  [Kind.NoSpace]: 'noSpace',
  [Kind.IoError]: 'ioError',
  [Kind.Short]: 'short',
  [Kind.Reset]: 'reset',
  [Kind.Refuse]: 'refuse',
  [Kind.NameFailure]: 'nameFailure',
  [Kind.HalfOpen]: 'halfOpen',
  [Kind.Buggify]: 'buggify',
  [Kind.Crash]: 'crash',
  [Kind.Failpoint]: 'failpoint',
  [Kind.Quick]: 'quick',
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

/** A frame begins (`start` with a task of its own, else `call`), or goes on after a yield point. */
export interface TraceStep {
  readonly type: 'start' | 'call' | 'resume';
  /** Virtual nanoseconds. */
  readonly at: number;
  /** Index into `tasks` and `sites`. */
  readonly task: number;
  readonly site: number;
  /** Index into `frames`. */
  readonly frame?: number;
  /** The event in which this was asked for: the call, the timer being set, the `then`. */
  readonly from?: number;
  /** The event in which what this waited for settled. */
  readonly by?: number;
  /** When that was, in virtual nanoseconds. */
  readonly settled?: number;
  /** What was awaited, shortened. */
  readonly value?: string;
  /** What was awaited rejected. */
  readonly threw?: true;
  /** What the frame does at the end of the step: it ends, or waits at this site. */
  readonly then?: 'end' | number;
}

export type TraceEvent = TraceDecision | TraceStep;

export interface TraceSite {
  /** `file:line:column` */
  readonly position: string;
  readonly kind: string;
  readonly fn: string;
  readonly text: string;
  /** Of a function without a name: the text of the first site behind its own. */
  readonly holds?: string;
  /** Which it is of the sites of its file that are alike in all of this; 1 is left out. */
  readonly nth?: number;
  /** What the code behind it reads and writes up to the next yield point, as far as is known. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

export interface TraceTask {
  readonly scope: string;
  readonly path: string;
}

/** One invocation of an async function, or one run of a callback. */
export interface TraceFrame {
  /** Where the function or callback stands. */
  readonly site: number;
  readonly task: number;
  /** The frame that called it or asked for it. */
  readonly caller?: number;
}

export interface TraceOutcome {
  readonly state: string;
  readonly kind?: string;
  readonly message?: string;
  /** Where it failed: `file:line:column`. */
  readonly site?: string;
}

export interface Trace {
  readonly format: 'detsim-trace';
  readonly version: typeof TRACE_VERSION;
  /** Left out by version 1.0. */
  readonly minor?: number;
  /** Root-relative path of the test file. */
  readonly file: string;
  /** Full title of the test. */
  readonly test: string;
  /** Decimal. */
  readonly seed: string;
  /** The text form of the schedule, when the run replayed one. */
  readonly schedule?: string;
  readonly outcome: TraceOutcome;
  readonly sites: readonly TraceSite[];
  readonly tasks: readonly TraceTask[];
  readonly frames?: readonly TraceFrame[];
  readonly events: readonly TraceEvent[];
}

export function isStep(event: TraceEvent): event is TraceStep {
  return event.type !== 'decision';
}

/** Whether a decision of this kind draws a value, which has a default that is not 0. */
export function isDrawn(kind: string): boolean {
  return kind === 'random' || kind === 'place';
}

/** Whether a decision differs from what plain Node does. */
export function deviates(event: TraceEvent): event is TraceDecision {
  if (event.type !== 'decision') return false;
  return isDrawn(event.kind) ? event.rung !== 'native' : event.pick !== 0;
}

/** The text of a trace file: one event a line, so that two traces compare line by line. */
export function formatTrace(trace: Trace): string {
  const { events, ...head } = trace;
  const lines = events.map((event) => `    ${JSON.stringify(event)}`).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "events": [\n${lines}\n  ]\n}\n`;
}
