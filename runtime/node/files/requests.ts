/**
 * How a function of the binding is done: at once, or as an operation of the thread pool that ends
 * with a callback or a promise.
 */

import { currentHost } from '../host.js';
import { pristine } from '../pristine.js';
import { ThreadPool } from '../thread-pool.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { textOf, type Call } from './calls.js';
import { InnerFailure, nodeError, SystemFailure } from './failure.js';
import { FileSystem } from './file-system.js';
import { timeToMove } from './moving.js';

type AnyFunction = (...args: any[]) => any;

/** The object that Node's JavaScript makes for an operation with a callback. */
export interface Request {
  oncomplete(this: Request, error: unknown, value?: unknown): void;
}

export function filesOf(scheduler: Scheduler): FileSystem {
  return currentHost(scheduler).part(FileSystem);
}

/**
 * Does it now.
 * @param hide the function of the binding, which stacks shall not show
 * @throws the error that Node's binding would throw
 */
export function callNow(
  files: FileSystem,
  call: Call,
  args: readonly unknown[],
  hide: AnyFunction,
): unknown {
  try {
    return call.act(files, args as any[]);
  } catch (error) {
    throw presented(error, call, args, hide);
  }
}

/**
 * The error as the program gets it.
 * @param suffix what it shows in place of the characters that `mkdtemp` draws
 */
export function presented(
  error: unknown,
  { syscall, paths }: Call,
  args: readonly unknown[],
  hide?: AnyFunction,
  suffix = 'XXXXXX',
): unknown {
  if (error instanceof InnerFailure) {
    return nodeError(error.failed, error.syscall, undefined, undefined, hide);
  }
  if (!(error instanceof SystemFailure)) return error;
  const [path, dest] = args.slice(0, paths).map((arg) => textOf(arg as string));
  const name = syscall === 'mkdtemp' ? path + suffix : path;
  return nodeError(error, syscall, name, dest, hide);
}

/** Does it on the thread pool, and calls back. */
export function callLater(
  files: FileSystem,
  call: Call,
  args: readonly unknown[],
  type: string,
  done: (error: unknown, value: unknown) => void,
): void {
  const { scheduler, host } = files;
  const least = call.least + timeToMove(files, bytesMoved(files, call, args));
  host.part(ThreadPool).run(scheduler, type, least, () => {
    let value: unknown;
    try {
      value = call.act(files, args as any[]);
    } catch (error) {
      // By then libuv has put the name that it tried into the request.
      const suffix = call.syscall === 'mkdtemp' ? files.suffix() : undefined;
      done(presented(error, call, args, undefined, suffix), undefined);
      return;
    }
    done(undefined, value);
  });
}

function bytesMoved(files: FileSystem, call: Call, args: readonly unknown[]): number {
  if (call.bytes === undefined) return 0;
  try {
    return call.bytes(files, args as any[]);
  } catch {
    return 0;
  }
}

/** Ends an operation with a callback, as Node's binding does. */
export function completeRequest(request: Request, error: unknown, value: unknown): void {
  if (error !== undefined) request.oncomplete(error);
  else if (value === undefined) request.oncomplete(null);
  else request.oncomplete(null, value);
}

/** Does it on the thread pool, and gives a promise for it. */
export function promiseLater(
  files: FileSystem,
  call: Call,
  args: readonly unknown[],
): Promise<unknown> {
  if (call.descriptor && files.descriptors.loads(args[0])) return promiseNow(files, call, args);
  return new pristine.Promise((resolve, reject) => {
    callLater(files, call, args, 'FSREQPROMISE', (error, value) => {
      if (error !== undefined) reject(error as Error);
      else resolve(value);
    });
  });
}

/** Does it at once, and gives a promise for it. */
export function promiseNow(
  files: FileSystem,
  call: Call,
  args: readonly unknown[],
): Promise<unknown> {
  return new pristine.Promise((resolve) => resolve(callNow(files, call, args, promiseNow)));
}
