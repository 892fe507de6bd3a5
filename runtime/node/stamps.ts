/**
 * Objects that carry the time at which they were made: events, files and performance marks.
 */

import buffer from 'node:buffer';
import { readDate, readPerformance } from './clock.js';
import { patch, patchConstructor, patchGetter } from './facade.js';
import { simulated } from './simulated.js';

const { apply } = Reflect;

export function installStamps(): void {
  const { performance } = globalThis;
  installEventStamps();
  patchConstructor(globalThis, 'File', 'globalThis.File', fileArguments);
  patchConstructor(buffer, 'File', 'buffer.File', fileArguments);
  patchConstructor(globalThis, 'PerformanceMark', 'globalThis.PerformanceMark', markArguments);
  patch(performance, 'mark', 'performance.mark', (real) => {
    return function (this: unknown, ...args: unknown[]) {
      return apply(real, this, markArguments(args)) as unknown;
    };
  });
  patch(performance, 'measure', 'performance.measure', (real) => {
    return function (this: unknown, ...args: unknown[]) {
      return apply(real, this, measureArguments(args)) as unknown;
    };
  });
}

/** The time of an event is that at which it is first asked for, and stays. */
function installEventStamps(): void {
  const stamps = new WeakMap<object, number>();
  patchGetter<number>(Event.prototype, 'timeStamp', 'Event.timeStamp', (real) => {
    return function (this: unknown) {
      const stamp = apply(real, this, []);
      const scheduler = simulated();
      if (scheduler === undefined) return stamp;
      const known = stamps.get(this as object) ?? readPerformance(scheduler);
      stamps.set(this as object, known);
      return known;
    };
  });
}

function isOptions(value: unknown): value is Record<string, unknown> | undefined {
  return value === undefined || (typeof value === 'object' && value !== null);
}

/** Gives `new File(parts, name, options)` the virtual time as its last modification. */
function fileArguments(args: unknown[]): unknown[] {
  const scheduler = simulated();
  const [parts, name, options] = args;
  if (scheduler === undefined || args.length < 2 || !isOptions(options)) return args;
  return [parts, name, { ...options, lastModified: options?.lastModified ?? readDate(scheduler) }];
}

/** Gives `mark(name, options)` the virtual time as its start. */
function markArguments(args: unknown[]): unknown[] {
  const scheduler = simulated();
  const [name, options] = args;
  if (scheduler === undefined || args.length === 0 || !isOptions(options)) return args;
  return [name, { ...options, startTime: options?.startTime ?? readPerformance(scheduler) }];
}

/** Gives `measure(name, start or options, end)` the virtual time as its end where it has none. */
function measureArguments(args: unknown[]): unknown[] {
  const scheduler = simulated();
  const [name, from, to] = args;
  if (scheduler === undefined || args.length === 0 || to !== undefined) return args;
  if (typeof from === 'string') return [name, { start: from, end: readPerformance(scheduler) }];
  if (!isOptions(from) || from?.end !== undefined) return args;
  if (from?.start !== undefined && from.duration !== undefined) return args;
  return [name, { ...from, end: readPerformance(scheduler) }];
}
