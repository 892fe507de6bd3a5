/**
 * Values and virtual times as reports show them.
 */

import type { Operation } from './history.js';

const UNITS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
] as const;

/** A virtual time for people: `0 ns`, `1.5 ms`, `never`. */
export function formatTime(nanoseconds: number): string {
  if (nanoseconds === Infinity) return 'never';
  for (const [size, unit] of UNITS) {
    if (nanoseconds >= size) return `${nanoseconds / size} ${unit}`;
  }
  return `${nanoseconds} ns`;
}

/** A value that is compared by what it is, not by which object it is. */
export type Value = string | number | bigint | boolean | null | undefined;

/** A text that is the same for equal values only: `"1"` and `1` differ. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  return JSON.stringify(value);
}

/**
 * An operation as reports show it: `{ op: 'put', key: 'x', value: 1 }` is `put "x", 1`.
 */
export function formatOperation({ input, output, pending }: Operation): string {
  const answer = pending ? '?' : formatValue(output);
  if (typeof input !== 'object' || input === null || !('op' in input)) {
    return `${formatValue(input)} -> ${answer}`;
  }
  const { op, ...rest } = input;
  const values = Object.values(rest).map(formatValue);
  const call = values.length === 0 ? String(op) : `${String(op)} ${values.join(', ')}`;
  return `${call} -> ${answer}`;
}
