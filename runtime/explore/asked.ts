/**
 * What an environment variable asks to be replayed: a seed or a schedule, as a sweep prints them.
 */

import type { Origin } from './origin.js';
import { parseSchedule } from './schedule.js';

/**
 * The seed that a variable names.
 * @throws an error for the user when it is none
 */
export function seedAsked(variable: string, text: string): Origin {
  const seed = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seed)) return { seed };
  throw new Error(
    `${variable} must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, but it is ` +
      `"${text}". Failing seeds are printed at the end of a sweep, for instance ` +
      `${variable}=847291.`,
  );
}

/**
 * The schedule that a variable holds.
 * @throws {SyntaxError} with the part that cannot be read
 */
export function scheduleAsked(text: string): Origin {
  parseSchedule(text);
  return { schedule: text };
}
