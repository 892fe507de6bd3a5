/**
 * `detsim trace view`: the events of a run as a timeline for the terminal.
 *
 * One line for each step: who, what, where, what it came to, and what it waits for then. Decisions
 * that plain Node would take as well are left out; those that deviate stand out.
 */

import { deviates, isStep, type TraceStep } from '../../runtime/trace/format.js';
import { formatVirtual } from '../../runtime/trace/names.js';
import { UserError } from '../errors.js';
import { count, formatNumber } from '../report/words.js';
import type { TraceWords } from './words.js';

export interface ViewOptions {
  /** Only events near this one; counts from 1. */
  readonly around?: number | undefined;
  /** Only tasks of this name, or all that begin with it and `#`. */
  readonly task?: string | undefined;
  /** At most so many events: the last ones, or the nearest to `around`. */
  readonly limit?: number | undefined;
}

/** How many events `around` shows before and after, when no limit is given. */
const AROUND = 10;

/** @throws UserError when the trace has no such step or task */
export function formatView(words: TraceWords, options: ViewOptions): string {
  const { colors: c } = words;
  const shown = shownEvents(words, options);
  const picked = pick(shown, options, words.trace.events.length);
  const rows = picked.map((index) => rowOf(words, index));
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...rows.map((row) => row[column].length)),
  );
  const lines = picked.map((index, i) => {
    const event = words.trace.events[index];
    const [number, time, task, place, what, after] = rows[i];
    const here = index + 1 === options.around ? c.bold('>') : ' ';
    const line = [
      here + c.dim(number.padStart(widths[0])),
      time.padStart(widths[1]),
      words.paint(event.task, task.padEnd(widths[2])),
      c.dim(place.padEnd(widths[3])),
      deviates(event) ? c.yellow(`! ${what}`) : what,
    ].join('  ');
    return after === '' ? line : `${line}  ${c.dim(`→ ${after}`)}`;
  });
  const left = shown.length - picked.length;
  const omitted = left === 0 ? [] : [c.dim(omission(left, options)), ''];
  return `${[...words.header(), '', ...omitted, ...lines].join('\n')}\n`;
}

function omission(left: number, { around }: ViewOptions): string {
  const which =
    around === undefined ? `${formatNumber(left)} earlier` : `${formatNumber(left)} other`;
  return `… ${which} ${left === 1 ? 'event' : 'events'} left out (--limit=0 shows all)`;
}

function rowOf(words: TraceWords, index: number): string[] {
  const event = words.trace.events[index];
  return [
    `#${index + 1}`,
    formatVirtual(event.at),
    words.task(event.task),
    words.place(event.site),
    words.what(event),
    isStep(event) ? afterwards(words, event) : '',
  ];
}

/** What the step ends with, what woke it, and how late it is. */
function afterwards(words: TraceWords, step: TraceStep): string {
  const { trace } = words;
  const parts: string[] = [];
  // Traces of version 1.0 do not say what a step ends with.
  if (trace.frames !== undefined) parts.push(words.after(step));
  if (step.by !== undefined && trace.events[step.by].task !== step.task) {
    parts.push(`woken by #${step.by + 1}`);
  }
  if (step.settled !== undefined) parts.push(`${formatVirtual(step.at - step.settled)} late`);
  return parts.join('; ');
}

/** Indices of the events that are worth a line. */
function shownEvents(words: TraceWords, { task, around }: ViewOptions): number[] {
  const { events } = words.trace;
  if (around !== undefined && around > events.length) {
    throw new UserError(
      `--around=${around} is beyond the end: the trace has ${count(events.length, 'step')}. ` +
        'Give a number as it stands behind # in the timeline.',
    );
  }
  const wanted = task === undefined ? undefined : tasksNamed(words, task);
  return events.flatMap((event, index) => {
    const counts = isStep(event) || deviates(event) || index + 1 === around;
    return counts && (wanted === undefined || wanted.has(event.task)) ? [index] : [];
  });
}

function tasksNamed(words: TraceWords, name: string): Set<number> {
  const all = words.trace.tasks.map((_, index) => words.task(index));
  const exact = new Set(all.flatMap((one, index) => (one === name ? [index] : [])));
  const found =
    exact.size > 0
      ? exact
      : new Set(all.flatMap((one, index) => (one.startsWith(`${name}#`) ? [index] : [])));
  if (found.size > 0) return found;
  const names = [...new Set(all)];
  const more = names.length > 12 ? `, and ${names.length - 12} more` : '';
  throw new UserError(
    `The trace has no task "${name}". Its tasks are ${names.slice(0, 12).join(', ')}${more}.`,
  );
}

function pick(shown: number[], { around, limit }: ViewOptions, total: number): number[] {
  if (around === undefined) return limit === undefined || limit === 0 ? shown : shown.slice(-limit);
  const most = limit === 0 ? total : (limit ?? 2 * AROUND + 1);
  const at = shown.findIndex((index) => index + 1 >= around);
  const middle = at === -1 ? shown.length - 1 : at;
  const from = Math.max(0, Math.min(middle - Math.floor(most / 2), shown.length - most));
  return shown.slice(from, from + most);
}
