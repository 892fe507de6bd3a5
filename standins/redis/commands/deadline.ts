/**
 * Times at which keys expire, as commands are given them.
 */

import type { Session } from '../session.js';
import { integer } from '../numbers.js';
import { fail } from '../reply.js';

/** The greatest time that fits, in milliseconds. */
const TIME_MAX = 2 ** 63;

export interface TimeUnit {
  /** Milliseconds of one. */
  readonly milliseconds: number;
  /** It is a time since 1970, not from now. */
  readonly absolute: boolean;
}

/** By the options of SET and GETEX. */
export const TIME_UNITS: Readonly<Record<string, TimeUnit>> = {
  ex: { milliseconds: 1000, absolute: false },
  px: { milliseconds: 1, absolute: false },
  exat: { milliseconds: 1000, absolute: true },
  pxat: { milliseconds: 1, absolute: true },
};

/** The time in milliseconds since 1970; may lie in the past. */
export function deadline(session: Session, text: string, unit: TimeUnit, command: string): number {
  const value = integer(text);
  const time = value * unit.milliseconds + (unit.absolute ? 0 : session.database.engine.now);
  if (Math.abs(value * unit.milliseconds) >= TIME_MAX || Math.abs(time) >= TIME_MAX) {
    return invalidTime(command);
  }
  return time;
}

/** The same for values that come with a time: it must be above 0. */
export function positiveDeadline(
  session: Session,
  text: string,
  unit: TimeUnit,
  command: string,
): number {
  if (integer(text) <= 0) return invalidTime(command);
  return deadline(session, text, unit, command);
}

const invalidTime = (command: string): never =>
  fail(`ERR invalid expire time in '${command}' command`);
