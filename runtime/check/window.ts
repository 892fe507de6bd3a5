/**
 * The smallest window of a history in which the operations cannot be ordered.
 *
 * It ends with the first answer that makes an order impossible, and begins at a moment shortly
 * before it, if possible one at which no operation was under way; all states in which the object
 * can have been then are known. Within the window, answers are left out as long as no order
 * explains the others: an operation without its answer may have taken effect at any time, or not at
 * all, so what remains cannot be ordered whatever the others did.
 */

import type { Entry } from './history.js';
import {
  normalized,
  search,
  type Configuration,
  type Discipline,
  type Part,
  type Problem,
} from './search.js';

/** Answers in a window before anything is left out. */
const MAX_ANSWERS = 16;

/** Steps of the model for one attempt to leave answers out, and for all of them. */
const ATTEMPT_STEPS = 20_000;
const ALL_STEPS = 1_000_000;

export interface Window<I, O> {
  /** The operations that cannot be ordered. */
  readonly operations: readonly Entry<I, O>[];
  /** Every state, as the model's key, in which the object can have been before them. */
  readonly before: readonly string[];
  /** How many operations around them were left out. */
  readonly others: number;
}

/**
 * @param furthest see `Found.furthest`
 * @param discipline that with which it was found that there is no order
 */
export function smallestWindow<State extends NonNullable<unknown>, I, O>(
  problem: Problem<State, I, O>,
  furthest: number,
  discipline: Discipline,
): Window<I, O> {
  const { part, model } = problem;
  const moment = startOf(part.completed, furthest);
  const under = part.completed.filter(({ from, to }) => from < moment && to > moment);
  if (under.length > 0) {
    // The states at the beginning depend on what was under way, unless it can be left out as well.
    const completed = part.completed.filter((entry) => !under.includes(entry));
    const pending = [...part.pending, ...under.map(unanswered)];
    const relaxed = { ...problem, part: { completed, pending } };
    const again = search(relaxed, 'fewest pending', { steps: ATTEMPT_STEPS });
    if (again.verdict === 'impossible') {
      return smallestWindow(relaxed, again.furthest, 'fewest pending');
    }
  }
  const starts =
    moment === -1
      ? problem.starts
      : search(problem, discipline, { steps: Infinity }, moment).atMoment;
  const left = { steps: ALL_STEPS };
  /** Whether there is no order of what was begun before `end` when only these are answered. */
  const impossible = (answered: readonly Entry<I, O>[], end: number): boolean => {
    const known = new Set([...under, ...answered]);
    const begun = part.completed.filter(({ from, to }) => from < end && to > moment);
    const completed = begun.filter((entry) => known.has(entry));
    const relaxed = begun.filter((entry) => !known.has(entry));
    const waiting = part.pending.filter(({ from }) => from < end);
    const others = { completed, pending: [...waiting, ...relaxed] };
    const attempt = {
      part: { completed, pending: others.pending.map(unanswered) },
      model,
      starts: starts.map((start) => renumber(start, part, others)),
    };
    const budget = { steps: Math.min(ATTEMPT_STEPS, left.steps) };
    left.steps -= budget.steps;
    const { verdict } = search(attempt, 'fewest pending', budget);
    left.steps += Math.max(0, budget.steps);
    return verdict === 'impossible';
  };

  const answeredBy = (end: number) =>
    part.completed.filter(({ from, to }) => from > moment && to <= end);
  const ends = part.completed
    .map(({ to }) => to)
    .filter((to) => to >= furthest && under.every((entry) => entry.to <= to))
    .sort((a, b) => a - b);
  const end = ends[first(ends.length - 1, (i) => impossible(answeredBy(ends[i]), ends[i]))];
  const needed = smallest(answeredBy(end), (answered) => impossible(answered, end));
  const operations = part.completed.filter((one) => under.includes(one) || needed.includes(one));
  const inWindow = [...part.completed, ...part.pending].filter(
    ({ from, to }) => from < end && to > moment,
  );
  return {
    operations,
    before: [...new Set(starts.map(({ state }) => model.key(state)))],
    others: inWindow.length - operations.length,
  };
}

/** The first number from 0 on for which something holds that goes on to hold; `last` if none. */
function first(last: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = 0;
  for (let step = 1; high < last && !holds(high); step *= 2) {
    low = high + 1;
    high = Math.min(last, high + step);
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** The answer after which a window begins; -1 is the start of the history. */
function startOf<I, O>(completed: readonly Entry<I, O>[], furthest: number): number {
  const answers = completed.map(({ to }) => to).filter((to) => to < furthest);
  answers.sort((a, b) => b - a);
  const quiet = (moment: number) =>
    completed.every(({ from, to }) => from > moment || to <= moment || from > furthest);
  const last = answers.slice(0, MAX_ANSWERS);
  return last.find(quiet) ?? answers[MAX_ANSWERS] ?? -1;
}

/** Takes away what can be taken away, many at a time first. */
function smallest<T>(start: readonly T[], suffices: (list: readonly T[]) => boolean): readonly T[] {
  let list = start;
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : (size + 1) >> 1) {
    for (let at = 0; at < list.length;) {
      const rest = [...list.slice(0, at), ...list.slice(at + size)];
      if (suffices(rest)) list = rest;
      else at += size;
    }
  }
  return list;
}

/** The same configuration among other operations. */
function renumber<State, I, O>(
  { low, window, used, usedCount, state }: Configuration<State>,
  from: Part<I, O>,
  to: Part<I, O>,
): Configuration<State> {
  const isPlaced = (entry: Entry<I, O>): boolean => {
    if (entry.pending) return ((used >> BigInt(from.pending.indexOf(entry))) & 1n) === 1n;
    const index = from.completed.indexOf(entry);
    return index < low || ((window >> BigInt(index - low)) & 1n) === 1n;
  };
  const bits = (entries: readonly Entry<I, O>[]): bigint =>
    entries.reduce((set, entry, i) => (isPlaced(entry) ? set | (1n << BigInt(i)) : set), 0n);
  return normalized({
    low: 0,
    window: bits(to.completed),
    used: bits(to.pending),
    usedCount,
    state,
  });
}

function unanswered<I, O>(entry: Entry<I, O>): Entry<I, O> {
  return { ...entry, output: undefined, returned: Infinity, pending: true, to: Infinity };
}
