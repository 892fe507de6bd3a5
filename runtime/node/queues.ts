/**
 * `process.nextTick` and `queueMicrotask`.
 *
 * Both keep Node's own queues, which are drained synchronously inside a simulation. A callback that
 * throws out of a drain would corrupt Node's async-hook stack and abort the process, so callbacks
 * are wrapped and what they throw is the simulation's to handle. A callback goes on as the frame
 * that queued it, and one that a call of `http.request` has queued begins its I/O from that call.
 */

import { AsyncResource } from 'node:async_hooks';
import type { Scheduler } from '../tasks/scheduler.js';
import { drainer } from './drain.js';
import { patch } from './facade.js';
import { microtasks } from './microtasks.js';
import { runInContext } from './pristine.js';
import { followed } from './simulated.js';
import { markOfCall } from './uncontrolled.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

export function installQueues(): void {
  patch(process, 'nextTick', 'process.nextTick', nextTickWith);
  patch(globalThis, 'queueMicrotask', 'globalThis.queueMicrotask', queueMicrotaskWith);
}

function nextTickWith(real: AnyFunction): AnyFunction {
  const queue = drainer.nextTick === undefined ? undefined : keepingContext(drainer.nextTick);
  return function (this: unknown, callback: AnyFunction, ...args: unknown[]) {
    const scheduler = followed();
    if (scheduler === undefined || typeof callback !== 'function') {
      return apply(real, this, [callback, ...args]) as unknown;
    }
    const guarded = guard(scheduler, callback, args, reportTickError);
    return queue === undefined ? (apply(real, process, [guarded]) as unknown) : queue(guarded);
  };
}

function queueMicrotaskWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, callback: AnyFunction) {
    const scheduler = followed();
    if (scheduler === undefined || typeof callback !== 'function') {
      return apply(real, this, [callback]) as unknown;
    }
    return apply(real, this, [guard(scheduler, callback, [], reportError)]) as unknown;
  };
}

/**
 * What a tick that threw has left runs before the immediates in Node 25 and older, and after the
 * first of them in Node 26 (measured: test/fixtures/conformance/programs/uncaught-tick-next.ts).
 */
const drainsBeforeImmediates = Number.parseInt(process.versions.node) < 26;

function reportTickError({ loop }: Scheduler, error: unknown): void {
  loop.reportTickError(error, drainsBeforeImmediates);
}

function reportError({ loop }: Scheduler, error: unknown): void {
  loop.reportError(error);
}

/** Runs `callback` as the frame that is current now, and hands what it throws to `report`. */
function guard(
  scheduler: Scheduler,
  callback: AnyFunction,
  args: unknown[],
  report: (scheduler: Scheduler, error: unknown) => void,
): () => void {
  const frame = scheduler.current;
  const mark = markOfCall();
  microtasks.pending = true;
  return () => {
    if (!scheduler.ended) {
      scheduler.current = frame;
      scheduler.clearMarks();
      scheduler.markSite(mark);
    }
    let thrown: { error: unknown } | undefined;
    try {
      apply(callback, undefined, args);
    } catch (error) {
      if (scheduler.plainNode) throw error;
      thrown = { error };
    } finally {
      if (!scheduler.ended) scheduler.current = scheduler.base;
    }
    if (thrown !== undefined) report(scheduler, thrown.error);
  };
}

/** A queue of detsim's own does not carry the async context by itself. */
function keepingContext(queue: (run: () => void) => void): (run: () => void) => void {
  return (run) => {
    const resource = new AsyncResource('TickObject');
    queue(() => runInContext(resource, run));
  };
}
