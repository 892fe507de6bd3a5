/**
 * Calls whose effects are known: builtins that compute and do nothing else, and what containers do
 * to what is in them. Arguments are taken to be data: a conversion (`toString`, `toJSON`, a getter)
 * that does something is not seen.
 */

import type { Reference } from '../sources.js';

/** What the program has made so far of the timers, of the console, of settled promises. */
export const TIMERS = '(timers)';
export const CONSOLE = '(console)';
export const SETTLED = '(settled)';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const PURE = words(
  'Number String Boolean BigInt Symbol parseInt parseFloat isNaN isFinite Array.isArray Array.of ' +
    'Object.keys Object.values Object.entries Object.freeze Object.is Object.hasOwn JSON.parse ' +
    'JSON.stringify Number.isInteger Number.isFinite Number.isNaN Number.isSafeInteger ' +
    'Number.parseInt Number.parseFloat String.fromCharCode Promise.resolve Promise.reject ' +
    'Promise.all Promise.allSettled Promise.race Promise.any encodeURIComponent decodeURIComponent ' +
    'structuredClone Math.random',
);

/** Constructors that make something new and do nothing else. */
const MAKERS = words(
  'Map Set WeakMap WeakSet Array Object Error TypeError RangeError SyntaxError Uint8Array',
);

/** What tasks wait at, and functions that only wait, as `detsim` exports them. */
export const PRIMITIVES = words('Channel Condition Mutex Once RWMutex Semaphore WaitGroup');
export const SLEEPS = words('sleep');

/** Globals that are values. */
export const CONSTANTS = words('undefined NaN Infinity');

const READING = words(
  'at includes indexOf lastIndexOf slice join concat flat keys values entries get has length size ' +
    'toString toSorted toReversed',
);
const WRITING = words('push pop shift unshift splice reverse fill set add delete clear');
const CALLING = words(
  'map filter forEach some every find findIndex findLast reduce reduceRight flatMap',
);

/** What a method of an array, a map or a set does: to what is in it, and whether it calls back. */
export function containerMethod(
  name: string,
): { readonly writes: boolean; readonly callsBack: boolean } | undefined {
  if (READING.has(name)) return { writes: false, callsBack: false };
  if (WRITING.has(name)) return { writes: true, callsBack: false };
  if (CALLING.has(name)) return { writes: false, callsBack: true };
  return undefined;
}

/** Whether a call of a global does nothing but compute. */
export function isPure({ module, path }: Reference): boolean {
  if (module !== undefined) return false;
  return path[0] === 'Math' ? path.length === 2 : PURE.has(path.join('.'));
}

/** Whether `new` of a global does nothing but make something. */
export function isMaker({ module, path }: Reference): boolean {
  return module === undefined && path.length === 1 && MAKERS.has(path[0]);
}

const TIMER_CALLS = words('setTimeout setInterval setImmediate queueMicrotask');
const CLEARING = words('clearTimeout clearInterval clearImmediate');

/** Whether a call sets a timer that calls its first argument, or clears one. */
export function timerCall({ module, path }: Reference): 'sets' | 'clears' | undefined {
  if (path.length !== 1 || (module !== undefined && module !== 'timers')) return undefined;
  if (TIMER_CALLS.has(path[0])) return 'sets';
  return CLEARING.has(path[0]) ? 'clears' : undefined;
}

/** Whether a call writes to the console. */
export function isConsole({ module, path }: Reference): boolean {
  return module === undefined && path.length === 2 && path[0] === 'console';
}
