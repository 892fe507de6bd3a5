/**
 * Ranges of sorted sets: by score, by bytes, by position.
 */

import { double, integer } from '../numbers.js';
import { fail } from '../reply.js';
import type { Scored, SortedSet } from '../values/sorted-set.js';

/** Positions, the end excluded. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export type RangeKind = 'rank' | 'score' | 'lex';

type Passes = (item: Scored) => boolean;

/** Which items are at or behind a bound that opens a range, and behind one that closes it. */
interface Bound {
  readonly opens: Passes;
  readonly closes: Passes;
}

function scoreBound(text: string): Bound {
  const error = 'ERR min or max is not a float';
  const exclusive = text.startsWith('(');
  const value = double(exclusive ? text.slice(1) : text, error);
  const reaches: Passes = ({ score }) => score >= value;
  const passes: Passes = ({ score }) => score > value;
  return exclusive ? { opens: passes, closes: reaches } : { opens: reaches, closes: passes };
}

function lexBound(text: string): Bound {
  if (text === '-') return { opens: () => true, closes: () => true };
  if (text === '+') return { opens: () => false, closes: () => false };
  const value = text.slice(1);
  const reaches: Passes = ({ member }) => member >= value;
  const passes: Passes = ({ member }) => member > value;
  if (text.startsWith('[')) return { opens: reaches, closes: passes };
  if (text.startsWith('(')) return { opens: passes, closes: reaches };
  return fail('ERR min or max not valid string range item');
}

/** Reads the two ends of a range, and tells the positions in a set. */
export function rangeOf(kind: RangeKind, min: string, max: string): (set: SortedSet) => Range {
  if (kind === 'rank') {
    const [first, last] = [integer(min), integer(max)];
    return ({ size }) => ({
      start: Math.max(first < 0 ? first + size : first, 0),
      end: Math.min(last < 0 ? last + size : last, size - 1) + 1,
    });
  }
  const bound = kind === 'score' ? scoreBound : lexBound;
  const [low, high] = [bound(min), bound(max)];
  return (set) => ({ start: set.first(low.opens), end: set.first(high.closes) });
}
