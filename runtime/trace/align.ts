/**
 * Lays two traces side by side.
 *
 * Events are matched by identity, which is scope, task path, site, kind and occurrence, never by
 * position or by what looks alike: the second time that a task passes an await is the same event in
 * both runs, wherever it stands. Of the events that both runs have, a longest increasing
 * subsequence is what happens in the same order; all others have moved.
 */

import type { Trace, TraceEvent } from './format.js';

export interface Alignment {
  /** For each event of the first trace, its index in the second; -1 where it has none. */
  readonly toSecond: Int32Array;
  /** The same from the second to the first. */
  readonly toFirst: Int32Array;
  /** Whether an event of the first trace is in order with the others. */
  readonly inOrder: readonly boolean[];
}

export function align(first: Trace, second: Trace): Alignment {
  const toSecond = new Int32Array(first.events.length).fill(-1);
  const toFirst = new Int32Array(second.events.length).fill(-1);
  const indices = new Map(identities(second).map((identity, index) => [identity, index]));
  identities(first).forEach((identity, index) => {
    const other = indices.get(identity);
    if (other === undefined) return;
    toSecond[index] = other;
    toFirst[other] = index;
  });
  const inOrder: boolean[] = first.events.map(() => false);
  for (const index of longestIncreasing(toSecond)) inOrder[index] = true;
  return { toSecond, toFirst, inOrder };
}

/** One text for each event, no two alike. */
function identities(trace: Trace): string[] {
  const seen = new Map<string, number>();
  return trace.events.map((event) => {
    const key = identityOf(trace, event);
    const occurrence = (seen.get(key) ?? 0) + 1;
    seen.set(key, occurrence);
    return `${key}\n${occurrence}`;
  });
}

function identityOf(trace: Trace, event: TraceEvent): string {
  const { scope, path } = trace.tasks[event.task];
  const kind = event.type === 'decision' ? `${event.kind} ${event.n}` : event.type;
  return [scope === trace.test ? '' : scope, path, trace.sites[event.site].position, kind].join(
    '\n',
  );
}

/** Indices of a longest strictly increasing subsequence, without the -1 in it (patience sorting). */
function longestIncreasing(values: Int32Array): number[] {
  const tails: number[] = [];
  const previous = new Int32Array(values.length).fill(-1);
  values.forEach((value, index) => {
    if (value < 0) return;
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]] < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[index] = tails[low - 1];
    tails[low] = index;
  });
  const chosen: number[] = [];
  for (let at = tails[tails.length - 1] ?? -1; at >= 0; at = previous[at]) chosen.push(at);
  return chosen.reverse();
}
