/**
 * `detsim trace stats`: what a run consists of, in figures.
 */

import { deviates, isStep, type TraceStep } from '../../runtime/trace/format.js';
import { formatVirtual } from '../../runtime/trace/names.js';
import { count, formatNumber } from '../report/words.js';
import type { TraceWords } from './words.js';

/** How many entries of a list are shown. */
const TASKS_MAX = 30;
const REASONS_MAX = 15;
const JUMPS_MAX = 5;
const TASK_REASONS_MAX = 3;

interface TaskFigures {
  readonly task: number;
  steps: number;
  first: number;
  last: number;
  readonly reasons: Map<string, number>;
}

export function formatStats(words: TraceWords): string {
  return `${[
    ...words.header(),
    ...taskLines(words),
    ...reasonLines(words),
    ...jumpLines(words),
    ...deviationLines(words),
  ].join('\n')}\n`;
}

function title(words: TraceWords, text: string): string[] {
  return ['', words.colors.bold(text)];
}

function taskLines(words: TraceWords): string[] {
  const figures = new Map<number, TaskFigures>();
  words.trace.events.forEach((event, index) => {
    if (!isStep(event)) return;
    const { task } = event;
    let known = figures.get(task);
    if (known === undefined) {
      figures.set(
        task,
        (known = { task, steps: 0, first: index, last: index, reasons: new Map() }),
      );
    }
    known.steps++;
    known.last = index;
    if (typeof event.then === 'number') bump(known.reasons, words.reason(event.then));
  });
  const sorted = [...figures.values()].sort((a, b) => b.steps - a.steps || a.task - b.task);
  const shown = sorted.slice(0, TASKS_MAX);
  const width = Math.max(0, ...shown.map(({ task }) => words.task(task).length));
  const digits = Math.max(0, ...shown.map(({ steps }) => String(steps).length));
  const more = sorted.length - shown.length;
  return [
    ...title(words, 'tasks, busiest first'),
    ...shown.map(({ task, steps, first, last, reasons }) => {
      const name = words.paint(task, words.task(task).padEnd(width));
      const span = first === last ? `#${first + 1}` : `#${first + 1} to #${last + 1}`;
      const ranked = [...reasons].sort(([, a], [, b]) => b - a);
      const why = ranked.slice(0, TASK_REASONS_MAX).map(([text, n]) => times(text, n));
      const rest = ranked.length - why.length;
      if (rest > 0) why.push(`and ${count(rest, 'other reason')}`);
      const unit = steps === 1 ? 'step ' : 'steps';
      const counted = `${String(steps).padStart(digits)} ${unit}  ${span}`;
      return `  ${name}  ${counted}  ${words.colors.dim(why.join(', '))}`.trimEnd();
    }),
    ...(more > 0 ? [`  and ${count(more, 'more task')}`] : []),
  ];
}

/** All reasons for which a frame has waited, with the place. */
function reasonLines(words: TraceWords): string[] {
  const sites = new Map<number, number>();
  for (const event of words.trace.events) {
    if (isStep(event) && typeof event.then === 'number') bump(sites, event.then);
  }
  if (sites.size === 0) return [];
  const sorted = [...sites].sort(([a, m], [b, n]) => n - m || a - b);
  const digits = String(sorted[0][1]).length;
  const more = sorted.length - REASONS_MAX;
  return [
    ...title(words, 'why they wait'),
    ...sorted.slice(0, REASONS_MAX).map(([site, n]) => {
      const place = words.colors.dim(words.place(site));
      return `  ${String(n).padStart(digits)}×  ${words.reason(site)}  ${place}`;
    }),
    ...(more > 0 ? [`  and ${count(more, 'more place')}`] : []),
  ];
}

function jumpLines(words: TraceWords): string[] {
  const steps = words.trace.events.flatMap((event, index) => (isStep(event) ? [index] : []));
  const jumps = steps.flatMap((index, i) => {
    const before = i === 0 ? 0 : words.trace.events[steps[i - 1]].at;
    const size = words.trace.events[index].at - before;
    return size > 0 ? [{ size, index }] : [];
  });
  if (jumps.length === 0) return [];
  jumps.sort((a, b) => b.size - a.size || a.index - b.index);
  return [
    ...title(words, 'biggest jumps in virtual time'),
    ...jumps.slice(0, JUMPS_MAX).map(({ size, index }) => {
      const event = words.trace.events[index] as TraceStep;
      const task = words.paint(event.task, words.task(event.task));
      const number = words.colors.dim(`#${index + 1}`);
      return `  ${formatVirtual(size)} before ${task} ${words.what(event)}  ${number}`;
    }),
  ];
}

/** Kinds of decisions whose pick is a time. */
const DELAYS = new Set(['await', 'timer', 'stall', 'create', 'operation', 'latency', 'io']);

function deviationLines(words: TraceWords): string[] {
  const { events } = words.trace;
  const kinds = new Map<string, { n: number; total: number }>();
  for (const event of events) {
    if (!deviates(event)) continue;
    const known = kinds.get(event.kind) ?? { n: 0, total: 0 };
    kinds.set(event.kind, { n: known.n + 1, total: known.total + event.pick });
  }
  if (kinds.size === 0) return [];
  return [
    ...title(words, 'deviations from plain Node'),
    ...[...kinds].map(([kind, { n, total }]) => {
      const delay = DELAYS.has(kind) ? `, ${formatVirtual(total)} in all` : '';
      return `  ${formatNumber(n)} of kind ${kind}${delay}`;
    }),
  ];
}

function bump<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function times(text: string, n: number): string {
  return n === 1 ? text : `${text} ×${n}`;
}
