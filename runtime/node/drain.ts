/**
 * Runs every microtask and nextTick to the end, synchronously: the adapter around Node.
 *
 * `process._tickCallback` does that from any frame that is not itself a promise job; inside one it
 * does nothing. Where a Node version lacks it, the engine's own checkpoint drains promise jobs, and
 * nextTicks are kept in a queue of detsim's. A callback that throws out of either would corrupt
 * Node's async-hook stack, so whoever queues one catches (see queues.ts).
 */

import { setFlagsFromString } from 'node:v8';
import { pristine, promiseResolve, subscribe } from './pristine.js';

/** A way of draining. */
export interface Drainer {
  drain(): void;
  /** Queues a nextTick; undefined when Node's own queue is the one that is drained. */
  readonly nextTick: ((run: () => void) => void) | undefined;
}

/** Drains through `process._tickCallback`; undefined where there is none. */
export function tickCallbackDrainer(): Drainer | undefined {
  const tickCallback = (process as { _tickCallback?: () => void })._tickCallback;
  if (typeof tickCallback !== 'function') return undefined;
  return { drain: tickCallback, nextTick: undefined };
}

/** Drains through V8's microtask checkpoint, with a queue of nextTicks of its own. */
export function checkpointDrainer(): Drainer {
  const runMicrotasks = nativeCheckpoint();
  const ticks: (() => void)[] = [];
  return {
    drain() {
      if (ticks.length === 0) runMicrotasks();
      while (ticks.length > 0) {
        for (let tick = ticks.shift(); tick !== undefined; tick = ticks.shift()) tick();
        runMicrotasks();
      }
    },
    nextTick: (run) => void ticks.push(run),
  };
}

/**
 * The checkpoint. V8's natives syntax stays on, since V8 throws away compiled code that has not
 * been called for a while, and compiles it anew.
 */
function nativeCheckpoint(): () => void {
  setFlagsFromString('--allow-natives-syntax');
  return new Function('%PerformMicrotaskCheckpoint()') as () => void;
}

/** The drainer of this process. */
export const drainer: Drainer = tickCallbackDrainer() ?? checkpointDrainer();

/** Runs every microtask and nextTick; only where {@link canDrain}. */
export const drain: () => void = drainer.drain;

/**
 * Whether draining works here: false inside a promise job, that is, in an async function after its
 * first await, and in a reaction.
 */
export function canDrain(): boolean {
  let ran = false;
  subscribe(
    promiseResolve(undefined),
    () => (ran = true),
    () => {},
  );
  drain();
  return ran && drainsTicks();
}

let ticksChecked = false;

/** Checks once that nextTicks are drained too: it is a private interface of Node's. */
function drainsTicks(): boolean {
  if (ticksChecked) return true;
  (drainer.nextTick ?? pristine.nextTick)(() => (ticksChecked = true));
  drain();
  if (!ticksChecked) {
    throw new Error(
      `Node ${process.versions.node} does not let detsim run process.nextTick callbacks ` +
        'synchronously; use Node 20.19 or later, 22 or 24.',
    );
  }
  return true;
}
