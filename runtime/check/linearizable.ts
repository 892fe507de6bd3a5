/**
 * Whether a history is linearizable: whether each operation can have taken effect at one moment
 * between its invocation and its answer, so that all the answers are right (Herlihy and Wing,
 * TOPLAS 1990).
 */

import { formatOperation, formatTime } from './format.js';
import type { Entry, History, Operation } from './history.js';
import type { Model } from './model.js';
import {
  initial,
  partOf,
  search,
  type Budget,
  type Discipline,
  type Found,
  type Problem,
} from './search.js';
import { smallestWindow, type Window } from './window.js';

export type Linearizability<Input, Output> =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly verdict: 'violation';
      /** The smallest window of operations that no order explains. */
      readonly window: readonly Operation<Input, Output>[];
      /** What is wrong, for people. */
      readonly text: string;
    }
  | { readonly ok: false; readonly verdict: 'unknown'; readonly text: string };

export interface LinearizabilityOptions {
  /** How many steps of the model the search may take, in all parts together; 1,000,000. */
  readonly maxSteps?: number;
}

/** How many states before a window are shown, and how much of each. */
const MAX_STATES = 6;
const MAX_WIDTH = 60;

/** How many operations are shown. */
const MAX_ROWS = 30;

/** With pending operations, the share of the steps after which the discipline changes. */
const DEEPEST_SHARE = 1 / 4;

/**
 * Looks for an order of the operations that the model allows.
 *
 * A pending operation may have taken effect at any time since its invocation, or not at all. The
 * answer is `unknown` when `maxSteps` did not suffice to find an order or to exclude all.
 */
export function checkLinearizable<State extends NonNullable<unknown>, Input, Output>(
  history: History<Input, Output>,
  model: Model<State, Input, Output>,
  { maxSteps = 1_000_000 }: LinearizabilityOptions = {},
): Linearizability<Input, Output> {
  const budget = { steps: maxSteps };
  let unknown: string | undefined;
  for (const [name, entries] of partition(history.operations, model)) {
    const title = name === undefined ? model.name : `${model.name}, ${name}`;
    const problem = { part: partOf(entries), model, starts: [initial(model.init())] };
    const { verdict, furthest, discipline } = searchBothWays(problem, budget);
    if (verdict === 'impossible') {
      const window = smallestWindow(problem, furthest, discipline);
      const { operations } = window;
      return { ok: false, verdict: 'violation', window: operations, text: describe(title, window) };
    }
    if (verdict === 'unknown') {
      unknown ??=
        `not known to be linearizable (${title}): ${maxSteps} steps of the model did not suffice ` +
        `for ${entries.length} operations. Check shorter histories, split them by a partition of ` +
        'the model, or raise maxSteps.';
    }
  }
  return unknown === undefined ? { ok: true } : { ok: false, verdict: 'unknown', text: unknown };
}

/** The operations on each part of the object, in the order in which the parts were first used. */
function partition<State extends NonNullable<unknown>, I, O>(
  entries: readonly Entry<I, O>[],
  model: Model<State, I, O>,
): Map<string | undefined, Entry<I, O>[]> {
  const parts = new Map<string | undefined, Entry<I, O>[]>();
  for (const entry of entries) {
    const name = model.partition?.(entry.input);
    const part = parts.get(name);
    if (part === undefined) parts.set(name, [entry]);
    else part.push(entry);
  }
  return parts;
}

/** Deep first; then, with pending operations, in the other way. */
function searchBothWays<State extends NonNullable<unknown>, I, O>(
  problem: Problem<State, I, O>,
  budget: Budget,
): Found<State> & { readonly discipline: Discipline } {
  const alone = problem.part.pending.length === 0;
  const first = { steps: alone ? budget.steps : Math.ceil(budget.steps * DEEPEST_SHARE) };
  budget.steps -= first.steps;
  const found = search(problem, 'deepest', first);
  budget.steps += Math.max(0, first.steps);
  if (found.verdict !== 'unknown' || alone) return { ...found, discipline: 'deepest' };
  return { ...search(problem, 'fewest pending', budget), discipline: 'fewest pending' };
}

/** The window as a table, with a bar for each operation from its invocation to its answer. */
function describe<I, O>(title: string, { operations, before, others }: Window<I, O>): string {
  const subject =
    operations.length === 1 ? 'this operation' : `these ${operations.length} operations`;
  const despite =
    others === 0 ? '' : `, whatever ${others === 1 ? 'one other' : `${others} others`} did`;
  const events = operations.flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
  const rows = operations
    .slice(0, MAX_ROWS)
    .map((operation) => [
      operation.client,
      formatOperation(operation),
      formatTime(operation.invoked),
      formatTime(operation.returned),
      bar(events.indexOf(operation.from), events.indexOf(operation.to)),
    ]);
  const heads = ['client', 'operation', 'invoked', 'answered', ''];
  return [
    `not linearizable (${title}): no order explains ${subject}${despite}`,
    `  before: ${alternatives(before)}`,
    ...table([heads, ...rows]).map((line) => `  ${line}`),
    ...(rows.length < operations.length ? [`  … ${operations.length - rows.length} more`] : []),
  ].join('\n');
}

/** The states before a window: a few of them, each in a length that can be read. */
function alternatives(states: readonly string[]): string {
  const shown = states
    .slice(0, MAX_STATES)
    .map((state) => (state.length > MAX_WIDTH ? `${state.slice(0, MAX_WIDTH)}…` : state));
  const more = states.length - shown.length;
  return [...shown, ...(more > 0 ? [`one of ${more} others`] : [])].join(', or ');
}

function bar(start: number, end: number): string {
  return `${'  '.repeat(start)}[${'='.repeat(2 * (end - start) - 1)}]`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  );
}
