/**
 * Longer delays in place of more of them.
 *
 * Where every point was held, several short delays often do together what one longer delay does
 * alone, and none of them can be taken away by itself. So a deviation is also taken away while
 * another one is made longer.
 */

import { Kind } from '../kernel/choice.js';
import type { Candidate, Oracle } from './minimize.js';

/** With more deviations than this there are too many pairs. */
const MOST = 8;

/** In nanoseconds. */
const LONGER = [3, 10, 30, 64].map((ms) => ms * 1e6);

/**
 * Takes deviations away while others are made longer, as long as the test fails.
 * @param start a set under which it does
 */
export async function fewer(
  start: readonly Candidate[],
  fails: Oracle,
): Promise<readonly Candidate[]> {
  let current = start;
  while (current.length > 1 && current.length <= MOST) {
    const next = await withoutOne(current, fails);
    if (next === undefined) break;
    current = next;
  }
  return current;
}

async function withoutOne(
  current: readonly Candidate[],
  fails: Oracle,
): Promise<readonly Candidate[] | undefined> {
  for (const taken of current) {
    const rest = current.filter((one) => one !== taken);
    if (await fails(rest)) return rest;
    for (const one of rest) {
      if (one.kind !== Kind.Await && one.kind !== Kind.Timer && one.kind !== Kind.Io) continue;
      for (const value of LONGER.filter((longer) => longer > one.value)) {
        const candidate = rest.map((other) => (other === one ? { ...one, value } : other));
        if (await fails(candidate)) return candidate;
      }
    }
  }
  return undefined;
}
