/**
 * Checks of what a scenario hands in. A wrong value is an error at the call that hands it in, with
 * the name of the call and the value in the message.
 */

/** A span or point of virtual time in whole nanoseconds, 0 or later. */
export function checkTime(call: string, what: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  const message =
    `${call}: ${what} must be a whole number of nanoseconds, 0 or more, but it is ` +
    `${shown(value)}. Write spans with the units microsecond, millisecond and second, and round ` +
    'what is computed.';
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message);
}

/** A whole number, `least` or more. */
export function checkCount(call: string, what: string, value: number, least = 0): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  const message =
    `${call}: ${what} must be a whole number, ${least} or more, but it is ` + `${shown(value)}.`;
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message);
}

/** A probability. */
export function checkRate(call: string, what: string, value: number): void {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  const message = `${call}: ${what} must be a rate from 0 to 1, but it is ${shown(value)}.`;
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message);
}

export function checkFunction(call: string, what: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new TypeError(`${call}: ${what} must be a function, but it is ${shown(value)}.`);
}

export function checkString(call: string, what: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw new TypeError(`${call}: ${what} must be a string, not empty, but it is ${shown(value)}.`);
}

/** Options that are spelled wrong would be ignored in silence. */
export function checkNames(call: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    throw new TypeError(`${call}: there is no option "${name}". There are ${known.join(', ')}.`);
  }
}

/** A value as an error message shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}
