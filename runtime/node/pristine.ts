/**
 * The primitives detsim itself uses, captured before anything is patched.
 *
 * Everything of detsim that runs inside a simulation imports them from here: a global may be a
 * virtual one, or a stub that a test has set.
 */

import { AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';

const PristinePromise = Promise;
const { apply } = Reflect;
const { resolve } = Promise;
const { then } = Promise.prototype;
const { runInAsyncScope } = AsyncResource.prototype;

export const pristine = {
  Date,
  Promise: PristinePromise,
  then,
  isPromise: types.isPromise,
  setTimeout,
  clearTimeout,
  setImmediate,
  clearImmediate,
  setInterval,
  clearInterval,
  queueMicrotask,
  nextTick: process.nextTick.bind(process) as typeof process.nextTick,
  hrtime: process.hrtime.bind(process) as () => [number, number],
  hrtimeBigint: process.hrtime.bigint,
  performanceNow: performance.now.bind(performance),
  mathRandom: Math.random,
  atomicsWait: Atomics.wait,
  exit: process.exit.bind(process) as typeof process.exit,
  cwd: process.cwd.bind(process),
  chdir: process.chdir.bind(process),
} as const;

/** `Promise.resolve(value)` of the real Promise: what `await` does with its operand. */
export const promiseResolve: (value: unknown) => Promise<unknown> = resolve.bind(PristinePromise);

/** Subscribes to a promise by the real `then`. */
export function subscribe(
  promise: Promise<unknown>,
  fulfilled: (value: unknown) => void,
  rejected: (reason: unknown) => void,
): void {
  apply(then, promise, [fulfilled, rejected]);
}

/** The promise of a reaction to `promise`, by the real `then`. */
export function derive<T, R>(
  promise: Promise<T>,
  fulfilled: (value: T) => R,
  rejected?: (reason: never) => R,
): Promise<R> {
  return apply(then, promise, [fulfilled, rejected]) as Promise<R>;
}

/** Runs `fn` in the async context that `resource` was made in, with the real `runInAsyncScope`. */
export function runInContext<A extends unknown[]>(
  resource: AsyncResource,
  fn: (...args: A) => void,
  ...args: A
): void {
  apply(runInAsyncScope, resource, [fn, undefined, ...args]);
}
