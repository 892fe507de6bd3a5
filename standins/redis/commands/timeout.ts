/**
 * How long a command waits at most.
 */

import { double } from '../numbers.js';
import { fail } from '../reply.js';

/** In seconds, as text; in milliseconds, as a number. 0 is for ever. */
export function timeout(text: string): number {
  const seconds = double(text, 'ERR timeout is not a float or out of range');
  if (seconds < 0) return fail('ERR timeout is negative');
  return Number.isFinite(seconds) ? seconds * 1000 : fail('ERR timeout is out of range');
}
