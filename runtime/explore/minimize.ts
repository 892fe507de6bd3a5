/**
 * Minimizes a set of deviations that makes a test fail.
 *
 * Because keys do not shift, a subset of a failing schedule is a schedule of its own, with plain
 * Node as its empty case. The order of wishes is: the lowest rung, then the fewest deviations, then
 * the shortest delays. The search over subsets is ddmin (Zeller and Hildebrandt, TSE 2002), with
 * the empty set tried first.
 */

import { isDrawn, Kind } from '../kernel/choice.js';
import { NODE, STUBS, type Rung } from '../kernel/rung.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { FAULTS } from './fault-words.js';
import { fewer } from './fewer.js';
import type { NamedDeviation } from './schedule.js';

export interface Candidate extends NamedDeviation {
  readonly rung: Rung;
}

/** Asks whether the test fails in the same way under these deviations and no others. */
export type Oracle = (deviations: readonly Candidate[]) => Promise<boolean>;

/** How many runs minimizing one finding may take. */
const MAX_RUNS = 1500;

/** What a person would write: delays in ms, from the shortest. */
const ROUND_DELAYS = [0.1, 0.5, 1, 2, 3, 5, 8, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 500, 1000]
  .concat([2000, 5000, 10_000, 30_000, 60_000])
  .map((ms) => ms * 1e6);

/**
 * Finds a smaller set of deviations under which the test still fails.
 * @param failing a set under which it does
 * @returns a set from which no deviation can be taken away, if the runs sufficed
 */
export async function minimize(
  failing: readonly Candidate[],
  oracle: Oracle,
): Promise<readonly Candidate[]> {
  const fails = limited(memoized(oracle));
  if (await fails([])) return [];
  let current = await lowestRung(failing, fails);
  current = await fewer(await ddmin(current, fails), fails);
  current = await lowestRung(current, fails);
  return simplifyValues(current, fails);
}

/** Remembers what was asked. */
function memoized(oracle: Oracle): Oracle {
  const known = new Map<string, boolean>();
  return async (deviations) => {
    const key = JSON.stringify(deviations);
    let answer = known.get(key);
    if (answer === undefined) known.set(key, (answer = await oracle(deviations)));
    return answer;
  };
}

function limited(oracle: Oracle): Oracle {
  let runs = 0;
  return async (deviations) => ++runs <= MAX_RUNS && oracle(deviations);
}

/** Leaves out the higher rungs, where the test still fails without them. */
async function lowestRung(
  current: readonly Candidate[],
  fails: Oracle,
): Promise<readonly Candidate[]> {
  for (const rung of [NODE, STUBS] as const) {
    const lower = current.filter((d) => d.rung <= rung);
    if (lower.length < current.length && (await fails(lower))) return lower;
  }
  return current;
}

async function ddmin(start: readonly Candidate[], fails: Oracle): Promise<readonly Candidate[]> {
  let current = start;
  let chunks = 2;
  while (current.length >= 2) {
    const smaller = await smallerBy(current, Math.min(chunks, current.length), fails);
    if (smaller !== undefined) {
      chunks = smaller.length < current.length / 2 ? 2 : Math.max(2, chunks - 1);
      current = smaller;
    } else if (chunks >= current.length) {
      return current;
    } else {
      chunks *= 2;
    }
  }
  return current;
}

/** One of `count` chunks alone, or all without one of them, if that still fails. */
async function smallerBy(
  current: readonly Candidate[],
  count: number,
  fails: Oracle,
): Promise<readonly Candidate[] | undefined> {
  const size = Math.ceil(current.length / count);
  const starts = Array.from({ length: Math.ceil(current.length / size) }, (_, i) => i * size);
  for (const at of starts) {
    const chunk = current.slice(at, at + size);
    if (chunk.length < current.length && (await fails(chunk))) return chunk;
  }
  if (starts.length === 2) return undefined;
  for (const at of starts) {
    const rest = [...current.slice(0, at), ...current.slice(at + size)];
    if (await fails(rest)) return rest;
  }
  return undefined;
}

/**
 * Changes delays to the shortest round one, which may be the next longer one, and values to the
 * fewest digits.
 */
async function simplifyValues(
  start: readonly Candidate[],
  fails: Oracle,
): Promise<readonly Candidate[]> {
  let current = start;
  for (let i = 0; i < current.length; i++) {
    for (const value of simplerValues(current[i])) {
      const candidate = current.map((d, j) => (j === i ? { ...d, value } : d));
      if (!(await fails(candidate))) continue;
      current = candidate;
      break;
    }
  }
  return current;
}

function simplerValues({ kind, value }: Candidate): number[] {
  if (kind === Kind.Bytes || FAULTS.get(kind)?.value === 'none') return [];
  if (!isDrawn(kind)) {
    const unit = kind === Kind.Timer ? MILLISECOND : 1;
    const round = ROUND_DELAYS.filter((delay) => delay % unit === 0);
    const longer = round.find((delay) => delay >= value) ?? value;
    return [...round.filter((delay) => delay < value), ...(longer > value ? [longer] : [])];
  }
  const rounded = [1, 2, 3, 4].map((digits) => Number(value.toFixed(digits)));
  return rounded.filter((r) => r < 1 && r !== value);
}
