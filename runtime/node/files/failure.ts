/**
 * Why a system call fails, and the error that Node makes of it.
 *
 * Within the simulated file system a failure is thrown as one shared object for each code; the
 * binding turns it into an error of Node's shape, with errno, code, syscall, path and dest.
 */

import { getSystemErrorMap } from 'node:util';

const numbers = new Map<string, readonly [number: number, text: string]>();
for (const [number, [code, text]] of getSystemErrorMap()) numbers.set(code, [number, text]);

/** A failed system call; `failure` gives the one of a code. */
export class SystemFailure extends Error {
  constructor(
    readonly code: string,
    /** Negative, as libuv has it. */
    readonly errno: number,
    readonly text: string,
  ) {
    super(code);
  }
}

const failures = new Map<string, SystemFailure>();

/** The failure of an error code such as `ENOENT`. */
export function failure(code: string): SystemFailure {
  let known = failures.get(code);
  if (known === undefined) {
    const [number, text] = numbers.get(code) ?? [-1, code];
    failures.set(code, (known = new SystemFailure(code, number, text)));
  }
  return known;
}

/** A system call that failed within another call: errors name it, and no path. */
export class InnerFailure extends Error {
  constructor(
    readonly syscall: string,
    readonly failed: SystemFailure,
  ) {
    super(failed.code);
  }
}

/** Does something that is a system call of its own. */
export function within<T>(syscall: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof SystemFailure ? new InnerFailure(syscall, error) : error;
  }
}

/** What an error of Node's says besides its message. */
export interface SystemErrorFields {
  readonly errno: number;
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly dest?: string;
}

/**
 * The error that Node's binding makes of a failure: it has no stack, as no JavaScript runs then.
 * @param hide the function from which on up the stack is shown; undefined for no stack
 */
export function nodeError(
  { code, errno, text }: SystemFailure,
  syscall: string,
  path: string | undefined,
  dest: string | undefined,
  hide: ((...args: any[]) => unknown) | undefined,
): Error & SystemErrorFields {
  let message = `${code}: ${text}, ${syscall}`;
  if (path !== undefined) message += ` '${path}'`;
  if (dest !== undefined) message += ` -> '${dest}'`;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Error(message) as Error & Record<string, unknown>;
  Error.stackTraceLimit = stackTraceLimit;
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  if (hide !== undefined) Error.captureStackTrace(error, hide);
  return error as unknown as Error & SystemErrorFields;
}
