/**
 * Where two traces part: the proof that a replay went the same way, or the first step that did not.
 */

import { unknownSite } from '../tasks/sites.js';
import type { Trace, TraceEvent } from './format.js';

export interface Divergence {
  /** Index into `events`. */
  readonly step: number;
  readonly expected: string;
  readonly got: string;
}

/** The first event that differs, or undefined when the two say the same. */
export function firstDifference(expected: Trace, got: Trace): Divergence | undefined {
  const length = Math.max(expected.events.length, got.events.length);
  for (let step = 0; step < length; step++) {
    const a = describeEvent(expected, step);
    const b = describeEvent(got, step);
    if (a !== b) return { step, expected: a, got: b };
  }
  const [ended, other] = [outcomeOf(expected), outcomeOf(got)];
  if (ended !== other) {
    return { step: length, expected: `the end: ${ended}`, got: `the end: ${other}` };
  }
  return undefined;
}

function outcomeOf({ outcome: { state, kind, message } }: Trace): string {
  return JSON.stringify({ state, kind, message });
}

function describeEvent(trace: Trace, step: number): string {
  const event = trace.events[step];
  if (event === undefined) return 'nothing more';
  const { path, scope } = trace.tasks[event.task];
  const where = `${placeOf(trace.sites[event.site])} in ${path || scope || 'the test'}`;
  return `${whatOf(event)} ${where}, ${event.at} ns`;
}

function placeOf({ position, text }: Trace['sites'][number]): string {
  if (position === unknownSite.position()) return 'in code without yield points';
  return text === '' ? `at ${position}` : `at ${position} (${text})`;
}

function whatOf(event: TraceEvent): string {
  return event.type === 'decision' ? `${event.kind} #${event.n} = ${event.pick}` : event.type;
}
