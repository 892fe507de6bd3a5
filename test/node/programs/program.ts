/**
 * What a program of the comparison with plain Node is, and what programs share.
 */

export type Log = (...values: unknown[]) => void;
export type Program = (log: Log) => unknown;

/** For arguments that the types do not allow. */
export const any = (value: unknown): any => value;

/** Logs a little later than short timers fire. */
export const soon = (log: Log, ...values: unknown[]): void =>
  void setTimeout(() => log(...values), 3);

/** What a call throws, in words. */
export function errorOf(fn: () => unknown): string {
  try {
    return `returned ${typeof fn()}`;
  } catch (error) {
    return describe(error);
  }
}

/** What a promise is rejected with, in words. */
export async function rejectionOf(promise: Promise<unknown>): Promise<string> {
  try {
    return `fulfilled ${String(await promise)}`;
  } catch (error) {
    return describe(error);
  }
}

function describe(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  return `${name} ${code} ${message}`;
}
