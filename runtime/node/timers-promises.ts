/**
 * `timers/promises`: the awaitable forms of the timers, with abort signals.
 *
 * They settle exactly as many microtasks after their timer as Node's own do. Whatever is invalid or
 * aborted to begin with never starts a timer, so it is left to Node and its own errors. After
 * lib/timers/promises.js.
 */

import { addAbortListener, EventEmitter, on } from 'node:events';
import promises from 'node:timers/promises';
import type { Scheduler } from '../tasks/scheduler.js';
import { patch } from './facade.js';
import { Immediate } from './immediate.js';
import { pristine, subscribe } from './pristine.js';
import { followed, simulated } from './simulated.js';
import { arm, Timeout } from './timeout.js';
import { VirtualEvent } from './virtual-event.js';

const { apply } = Reflect;
const { Promise: RealPromise } = pristine;
const realFinally = RealPromise.prototype.finally;

type AnyFunction = (...args: any[]) => any;

interface Options {
  signal?: AbortSignal;
  ref?: boolean;
}

/** A timer or immediate that can be stopped. */
interface Pending {
  readonly _destroyed: boolean;
  stop(): void;
}

export function installTimersPromises(): void {
  patch(promises, 'setTimeout', 'timers/promises.setTimeout', timeoutWith);
  patch(promises, 'setImmediate', 'timers/promises.setImmediate', immediateWith);
  patch(promises, 'setInterval', 'timers/promises.setInterval', intervalWith);
  const { scheduler } = promises;
  patch(scheduler, 'wait', 'timers/promises.scheduler.wait', (real) =>
    onScheduler(real, (delay, options) => promises.setTimeout(delay, undefined, options)),
  );
  patch(scheduler, 'yield', 'timers/promises.scheduler.yield', (real) =>
    onScheduler(real, () => promises.setImmediate()),
  );
}

function timeoutWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, after?: number, value?: unknown, options?: Options) {
    const simulation = followed();
    if (simulation === undefined || !isDelay(after) || !startsTimer(options)) {
      return apply(real, this, [after, value, options]) as unknown;
    }
    if (simulation.plainNode) {
      const event = new VirtualEvent(simulation, simulation.takeSite(), 'Timeout');
      return apply(real, this, [arm(event, after), value, options]) as unknown;
    }
    const ref = options?.ref ?? true;
    return whenSettled(
      options?.signal,
      (resolve) => new Timeout(simulation, resolve, after, [value], { repeat: false, ref }),
    );
  };
}

function immediateWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, value?: unknown, options?: Options) {
    const simulation = simulated();
    if (simulation === undefined || !startsTimer(options)) {
      return apply(real, this, [value, options]) as unknown;
    }
    const ref = options?.ref ?? true;
    return whenSettled(
      options?.signal,
      (resolve) => new Immediate(simulation, resolve, [value], ref),
    );
  };
}

function intervalWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, after?: number, value?: unknown, options?: Options) {
    const simulation = simulated();
    if (simulation === undefined || !isDelay(after) || !startsTimer(options)) {
      return apply(real, this, [after, value, options]) as unknown;
    }
    return ticks(simulation, after, value, options ?? {});
  };
}

/** The methods of `scheduler` check their receiver, and go by the functions above. */
function onScheduler(real: AnyFunction, virtual: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    if (simulated() === undefined || this !== promises.scheduler) {
      return apply(real, this, args) as unknown;
    }
    return virtual(...args) as unknown;
  };
}

/** Whether Node takes this as a delay. */
function isDelay(after: unknown): boolean {
  return after === undefined || typeof after === 'number';
}

/** Whether a timer is started at all: not with invalid options, nor with an aborted signal. */
function startsTimer(options: unknown): boolean {
  if (options === undefined) return true;
  if (options === null || typeof options !== 'object' || Array.isArray(options)) return false;
  const { signal, ref } = options as Options;
  if (ref !== undefined && typeof ref !== 'boolean') return false;
  if (signal === undefined) return true;
  return signal !== null && typeof signal === 'object' && 'aborted' in signal && !signal.aborted;
}

/** A promise for the timer that `start` makes, rejected when `signal` is aborted before. */
function whenSettled(
  signal: AbortSignal | undefined,
  start: (resolve: (value: unknown) => void) => Pending,
): Promise<unknown> {
  let listener: Disposable | undefined;
  const settled = new RealPromise<unknown>((resolve, reject) => {
    const pending = start(resolve);
    if (signal === undefined) return;
    listener = addAbortListener(signal, () => {
      if (pending._destroyed) return;
      pending.stop();
      reject(abortError(signal));
    });
  });
  return listener === undefined ? settled : andThen(settled, () => listener![Symbol.dispose]());
}

/** `finally`, with as many microtasks as Node's own internal one takes. */
function andThen(promise: Promise<unknown>, cleanUp: () => void): Promise<unknown> {
  return new RealPromise((resolve, reject) => {
    const inner = new RealPromise((fulfil, fail) => subscribe(promise, fulfil, fail));
    subscribe(apply(realFinally, inner, [cleanUp]) as Promise<unknown>, resolve, reject);
  });
}

/** Node's own AbortError, which only Node can make. */
function abortError(signal: AbortSignal): unknown {
  try {
    on(new EventEmitter(), 'never', { signal });
  } catch (error) {
    return error;
  }
  throw new Error('an aborted signal was expected');
}

async function* ticks(
  simulation: Scheduler,
  after: number | undefined,
  value: unknown,
  options: Options,
): AsyncGenerator<unknown> {
  const { signal, ref = true } = options;
  let due = 0;
  let wake: ((value?: unknown) => void) | undefined;
  const awaken = (result?: unknown): void => {
    wake?.(result);
    wake = undefined;
  };
  const tick = (): void => {
    due++;
    awaken();
  };
  const interval = new Timeout(simulation, tick, after, undefined, { repeat: true, ref });
  const listener =
    signal &&
    addAbortListener(signal, () => {
      interval.stop();
      if (wake !== undefined) awaken(RealPromise.reject(abortError(signal)));
    });
  try {
    while (signal?.aborted !== true) {
      if (due === 0) await new RealPromise<unknown>((resolve) => (wake = resolve));
      for (; due > 0; due--) yield value;
    }
    throw abortError(signal);
  } finally {
    interval.stop();
    listener?.[Symbol.dispose]();
  }
}
