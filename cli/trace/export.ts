/**
 * `detsim trace export`: the trace as Chrome trace-event JSON, which Perfetto and chrome://tracing
 * open. Format: "Trace Event Format", the Chromium project.
 *
 * A lane (thread) for each task: a slice from each step to what its frame waits for next, flow
 * arrows from the step in which a promise settled to the one that this woke, and an instant for
 * each deviation. Steps take no virtual time, so the wait is what has a length.
 */

import { deviates, isStep, type TraceEvent } from '../../runtime/trace/format.js';
import type { TraceWords } from './words.js';

interface ChromeEvent {
  readonly ph: 'X' | 'i' | 's' | 'f' | 'M';
  readonly pid: 1;
  readonly tid: number;
  /** Microseconds. */
  readonly ts?: number;
  readonly dur?: number;
  readonly name: string;
  readonly cat?: string;
  readonly id?: number;
  readonly s?: 't';
  readonly bp?: 'e';
  readonly args?: object;
}

/** The text of the JSON file. */
export function exportChrome(words: TraceWords): string {
  const { trace } = words;
  const events: ChromeEvent[] = [
    { ph: 'M', pid: 1, tid: 0, name: 'process_name', args: { name: trace.test } },
    ...trace.tasks.flatMap((_, index): ChromeEvent[] => [
      { ...lane(index), ph: 'M', name: 'thread_name', args: { name: words.task(index) } },
      { ...lane(index), ph: 'M', name: 'thread_sort_index', args: { sort_index: index } },
    ]),
    ...trace.events.flatMap((event, index) => eventsOf(words, event, index)),
  ];
  const { file, test, seed, schedule, outcome } = trace;
  const document = {
    displayTimeUnit: 'ms',
    otherData: { file, test, seed, schedule, ...outcome },
    traceEvents: events,
  };
  return `${JSON.stringify(document)}\n`;
}

function lane(task: number): { readonly pid: 1; readonly tid: number } {
  return { pid: 1, tid: task + 1 };
}

function eventsOf(words: TraceWords, event: TraceEvent, index: number): ChromeEvent[] {
  const { trace } = words;
  const { position, text, fn } = trace.sites[event.site];
  const at = { ...lane(event.task), ts: event.at / 1e3 };
  const args = { step: index + 1, source: position, text, function: fn };
  if (!isStep(event)) {
    if (!deviates(event)) return [];
    return [{ ...at, ph: 'i', s: 't', cat: 'deviation', name: words.what(event), args }];
  }
  const found: ChromeEvent[] = [
    {
      ...at,
      ph: 'X',
      dur: 0,
      cat: event.type,
      name: words.what(event),
      args: { ...args, value: event.value, then: words.after(event) },
    },
  ];
  if (event.type === 'resume') {
    const from = waitStart(words, index);
    if (from !== undefined && from.at < event.at) {
      const dur = (event.at - from.at) / 1e3;
      const name = words.reason(event.site);
      found.push({ ...at, ph: 'X', ts: from.at / 1e3, dur, cat: 'wait', name, args });
    }
  }
  const cause = event.by === undefined ? undefined : trace.events[event.by];
  if (cause !== undefined && cause.task !== event.task) {
    const flow = { cat: 'wake', name: 'wakes', id: index + 1 } as const;
    found.push({ ...lane(cause.task), ts: cause.at / 1e3, ph: 's', ...flow });
    found.push({ ...at, ph: 'f', bp: 'e', ...flow });
  }
  return found;
}

/** The step after which the frame has waited. */
function waitStart(words: TraceWords, index: number): TraceEvent | undefined {
  const { events } = words.trace;
  const event = events[index];
  if (!isStep(event) || event.frame === undefined) return undefined;
  for (let i = index - 1; i >= 0; i--) {
    const before = events[i];
    if (isStep(before) && before.frame === event.frame) return before;
  }
  return undefined;
}
