/**
 * The events of a trace as the page shows them: steps and deviations, each in the lane of its task.
 */

import { deviates, isStep, type TraceEvent } from '../../runtime/trace/format.js';
import { formatVirtual } from '../../runtime/trace/names.js';
import type { PageEvent } from './page-data.js';
import type { TraceWords } from './words.js';

/** Decisions of the program's own timing; all others are faults of the simulated world. */
const TIMING = new Set(
  ['await', 'timer', 'stall', 'create', 'random', 'bytes', 'latency'].concat([
    'operation',
    'select',
    'io',
    'place',
    'chunk',
    'quick',
  ]),
);

export function pageEvents(words: TraceWords): { events: PageEvent[]; lanes: string[] } {
  const { trace } = words;
  const { laneOf, lanes } = lanesOf(words);
  /** Where an event of the trace is in the page. */
  const places = new Map<number, number>();
  /** The latest event of each frame. */
  const latest = new Map<number, number>();
  const events: PageEvent[] = [];
  trace.events.forEach((event, index) => {
    if (!isStep(event) && !deviates(event)) return;
    const { at, task, site } = event;
    const base = {
      n: index + 1,
      time: formatVirtual(at),
      at,
      lane: laneOf(task),
      task,
      site,
      what: words.what(event),
    };
    places.set(index, events.length);
    if (!isStep(event)) {
      events.push({ ...base, type: TIMING.has(event.kind) ? 'deviation' : 'fault' });
      return;
    }
    const { frame, settled, value, threw, then } = event;
    const known = defined({
      frame,
      from: event.from === undefined ? undefined : places.get(event.from),
      by: event.by === undefined ? undefined : places.get(event.by),
      since: frame === undefined ? undefined : latest.get(frame),
      late: settled === undefined ? undefined : formatVirtual(at - settled),
      value: value === 'undefined' ? undefined : value,
      threw,
      then: trace.frames === undefined ? undefined : words.after(event),
      waitsAt: typeof then === 'number' ? then : undefined,
    });
    if (frame !== undefined) latest.set(frame, events.length);
    events.push({ ...base, type: event.type, ...known });
  });
  return { events, lanes };
}

/**
 * Tasks that are one call of a callback share a lane with those of the same place: a program may
 * set a thousand timers.
 */
function lanesOf(words: TraceWords): { laneOf: (task: number) => number; lanes: string[] } {
  const { trace } = words;
  const steps = new Map<number, TraceEvent[]>();
  for (const event of trace.events) {
    if (isStep(event) || deviates(event)) {
      const known = steps.get(event.task);
      if (known === undefined) steps.set(event.task, [event]);
      else known.push(event);
    }
  }
  const lanes: string[] = [];
  const byName = new Map<string, number>();
  const lane = new Map<number, number>();
  for (const [task, own] of steps) {
    const { kind, text } = trace.sites[own[0].site];
    const callback = own.every(({ type }) => type !== 'resume') && /^(?:call|reaction)$/.test(kind);
    const short = text.slice(text.lastIndexOf(').') + 1);
    const key = callback ? `${short} ${words.place(own[0].site)}` : `task ${task}`;
    let index = byName.get(key);
    if (index === undefined) {
      byName.set(key, (index = lanes.length));
      lanes.push(callback ? key.replace(/ \S*\//, ' ') : words.task(task));
    }
    lane.set(task, index);
  }
  return { laneOf: (task) => lane.get(task)!, lanes };
}

function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
