/**
 * `detsim trace diff`: what two runs have in common and where they part.
 *
 * First the deviations: of a failing run and its minimized one, what the minimizer kept and what it
 * dropped. Then the order of steps, of any two runs of a test, for instance one that fails and one
 * that passes.
 */

import { align, type Alignment } from '../../runtime/trace/align.js';
import { deviates, isDrawn, isStep, type Trace } from '../../runtime/trace/format.js';
import { formatVirtual } from '../../runtime/trace/names.js';
import { count, formatNumber } from '../report/words.js';
import type { TraceWords } from './words.js';

export interface DiffOptions {
  /** At most so many lines on the order of steps; 0 is all. */
  readonly limit?: number | undefined;
}

const LINES_MAX = 60;

export function formatDiff(first: TraceWords, second: TraceWords, options: DiffOptions): string {
  const alignment = align(first.trace, second.trace);
  const minimized = second.trace.schedule !== undefined && first.trace.schedule === undefined;
  const [a, b] = minimized ? ['original', 'minimized'] : ['first', 'second'];
  return `${[
    ...labelled(a, first),
    ...labelled(b, second),
    '',
    ...deviationLines(first, second, alignment, minimized),
    '',
    ...orderLines(first, second, alignment, options.limit ?? LINES_MAX),
  ].join('\n')}\n`;
}

function labelled(name: string, words: TraceWords): string[] {
  const width = 'minimized: '.length;
  return words.header().map((line, i) => `${(i === 0 ? `${name}:` : '').padEnd(width)}${line}`);
}

// ---- deviations ---------------------------------------------------------------------------------

function deviationLines(
  first: TraceWords,
  second: TraceWords,
  { toSecond, toFirst }: Alignment,
  minimized: boolean,
): string[] {
  const { colors: c } = first;
  const [before, after] = [first.trace.events, second.trace.events];
  const kept = (index: number): boolean => toSecond[index] >= 0 && deviates(after[toSecond[index]]);
  const all = before.flatMap((event, index) => (deviates(event) ? [index] : []));
  const added = after.flatMap((event, index) => {
    const there = toFirst[index] >= 0 && deviates(before[toFirst[index]]);
    return deviates(event) && !there ? [index] : [];
  });
  const keptCount = all.filter(kept).length;
  const share = all.length === 0 ? '' : ` (${((keptCount / all.length) * 100).toFixed(1)}%)`;
  const title = minimized
    ? `the minimizer kept ${keptCount} of ${count(all.length, 'deviation')}${share}`
    : `${keptCount} of ${count(all.length, 'deviation')} of the first are in the second`;
  return [
    c.bold(title),
    ...all.map((index) => {
      const line = lineOf(first, index);
      if (!kept(index)) return c.dim(`  drop  ${line}`);
      const [was, is] = [before[index], after[toSecond[index]]];
      const changed = deviates(was) && deviates(is) && was.pick !== is.pick;
      const now = changed ? `, now ${isDrawn(is.kind) ? is.pick : formatVirtual(is.pick)}` : '';
      return c.green(`  keep  ${line}${now}`);
    }),
    ...added.map((index) => c.yellow(`  only in the second  ${lineOf(second, index)}`)),
  ];
}

function lineOf(words: TraceWords, index: number): string {
  const event = words.trace.events[index];
  return `#${index + 1} ${words.task(event.task)} ${words.what(event)}  ${words.place(event.site)}`;
}

// ---- order --------------------------------------------------------------------------------------

function orderLines(
  first: TraceWords,
  second: TraceWords,
  { toSecond, toFirst, inOrder }: Alignment,
  limit: number,
): string[] {
  const { colors: c } = first;
  const steps = (trace: Trace): number[] =>
    trace.events.flatMap((event, index) => (isStep(event) ? [index] : []));
  const mine = steps(first.trace);
  const common = mine.filter((index) => toSecond[index] >= 0);
  const moved = common.filter((index) => !inOrder[index]).length;
  const onlyFirst = mine.length - common.length;
  const added = steps(second.trace).filter((index) => toFirst[index] < 0);
  const parts = [
    `${count(common.length, 'step')} in both runs`,
    moved === 0 ? 'all in the same order' : `${formatNumber(moved)} of them at another place`,
    `${formatNumber(onlyFirst)} only in the first`,
    `${formatNumber(added.length)} only in the second`,
  ];
  const lines: string[] = [];
  let alike = 0;
  const flush = (): void => {
    if (alike > 0) lines.push(c.dim(`  = ${count(alike, 'step')} alike`));
    alike = 0;
  };
  let next = 0;
  const insert = (before: number): void => {
    for (; next < added.length && added[next] < before; next++) {
      flush();
      lines.push(c.green(`  + ${lineOf(second, added[next])}`));
    }
  };
  for (const index of mine) {
    if (inOrder[index]) {
      insert(toSecond[index]);
      alike++;
    } else {
      flush();
      if (toSecond[index] < 0) lines.push(c.red(`  - ${lineOf(first, index)}`));
      else lines.push(c.yellow(`  ~ ${lineOf(first, index)}, second: #${toSecond[index] + 1}`));
    }
  }
  insert(Infinity);
  flush();
  const shown = limit === 0 ? lines : lines.slice(0, limit);
  const more = lines.length - shown.length;
  return [
    c.bold(parts.join(', ')),
    ...shown,
    ...(more > 0 ? [c.dim(`  … ${count(more, 'more line')} (--limit=0 shows all)`)] : []),
  ];
}
