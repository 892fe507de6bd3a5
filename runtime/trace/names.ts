/**
 * What tasks of a trace are called in front of people.
 *
 * The second task of the run that began with `refresh` is called `refresh#2`, whatever tasks they
 * descend from: a path tells them apart as well, but is too long for a sentence.
 */

import { UNMARKED } from '../tasks/sites.js';
import type { Trace, TraceSite, TraceStep } from './format.js';

/** What code without yield points has begun. */
const UNKNOWN_TASKS = /(\/unknown:0\.\d+)+$/;

/** A task that such code has begun is called after the one in which it was called. */
export function withoutUnknown(path: string): string {
  return path.replace(UNKNOWN_TASKS, '');
}

/** Whether what somebody gave away at this place is a callback and no more. */
export function isCallback({ kind, text }: TraceSite): boolean {
  return kind === 'reaction' || /(^|\.)set(Timeout|Interval|Immediate)$/.test(text);
}

/** Whether a task is part of what code without yield points has begun. */
export function isUnmarked(path: string): boolean {
  return labelOf(path).startsWith(UNMARKED);
}

/** Whether a task is part of what somebody began at this place. */
export function isPartAt(path: string, { kind, position }: TraceSite): boolean {
  return labelOf(path) === `${kind}:${position.split(':').at(-2)}`;
}

/** An operation may have several parts, each begun by the one before: who began the first. */
export function withoutParts(path: string): string {
  const label = labelOf(path);
  let above = path;
  while (above !== '' && labelOf(above) === label) {
    above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
  }
  return above;
}

export class TaskNames {
  private readonly byPath = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly trace: Trace) {
    for (const { path } of trace.tasks) this.add(path);
  }

  /** The name of the task with this index in the trace. */
  of(index: number): string {
    const { scope, path } = this.trace.tasks[index];
    if (!isBody(path)) return this.ofPath(path);
    return scope === this.trace.test || scope === '' ? 'the test' : scope;
  }

  /** The name of a task that may or may not be in the trace. */
  ofPath(path: string): string {
    if (isBody(path)) return 'the test';
    return this.byPath.get(path) ?? `${labelOf(path)}#${path.slice(path.lastIndexOf('.') + 1)}`;
  }

  /** Who set off what the task with this index runs: gave the callback, or began the operation. */
  beginnerOf(index: number): string {
    return this.ofPath(withoutUnknown(withoutParts(this.trace.tasks[index].path)));
  }

  /**
   * What runs in a step that starts a task, as a clause; undefined when that is a function.
   * @param quote puts names of tasks and code in quotes
   */
  started({ task, site }: TraceStep, quote: (code: string) => string): string | undefined {
    const name = this.beginnerOf(task);
    const beginner = name === 'the test' ? name : quote(name);
    if (isUnmarked(this.trace.tasks[task].path)) {
      return `what ${beginner} began in code without yield points goes on`;
    }
    const { kind, text } = this.trace.sites[site];
    if (kind !== 'call' && kind !== 'reaction') return undefined;
    return isCallback(this.trace.sites[site])
      ? `the callback that ${beginner} gave to ${quote(text)} runs`
      : `${quote(text)}, begun by ${beginner}, goes on`;
  }

  private add(path: string): void {
    if (isBody(path) || this.byPath.has(path)) return;
    const label = labelOf(path);
    const ordinal = (this.counts.get(label) ?? 0) + 1;
    this.counts.set(label, ordinal);
    this.byPath.set(path, `${label}#${ordinal}`);
  }
}

/** The body of a test or hook is an anonymous function right below the scope. */
function isBody(path: string): boolean {
  return path === '' || /^function:\d+\.\d+$/.test(path);
}

/** The name of a task without its number and without those it descends from. */
function labelOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('.'));
}

/** `file:line`, without the column. */
export function shortSite(position: string): string {
  return position.replace(/:\d+$/, '');
}

/** Virtual nanoseconds for people: `0`, `500 ns`, `1.5 ms`, `2 s`. */
export function formatVirtual(nanoseconds: number): string {
  for (const [unit, size] of UNITS) {
    if (nanoseconds >= size) return `${Number((nanoseconds / size).toFixed(3))} ${unit}`;
  }
  return '0';
}

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;
