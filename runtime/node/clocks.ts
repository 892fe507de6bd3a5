/**
 * The clocks besides `Date`: `performance`, `process.hrtime`, uptimes, `Intl`, `Temporal`, and what
 * blocks the thread for a time.
 */

import os from 'node:os';
import {
  EPOCH,
  MACHINE_AGE,
  PROCESS_AGE,
  processStart,
  readClock,
  readDate,
  readPerformance,
  sinceEpoch,
} from './clock.js';
import { patch, patchGetter } from './facade.js';
import { simulated } from './simulated.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

export function installClocks(): void {
  installHrtime();
  installUptimes();
  installPerformance();
  installIntl();
  installTemporal();
  installAtomicsWait();
}

function installHrtime(): void {
  patch(process, 'hrtime', 'process.hrtime', (real: typeof process.hrtime) => {
    return function (this: unknown, previous?: [number, number]): [number, number] {
      const scheduler = simulated();
      if (scheduler === undefined) return apply(real, this, [previous]) as [number, number];
      if (previous !== undefined) real(previous); // Raises Node's own error when it is invalid.
      const now = MACHINE_AGE + readClock(scheduler);
      const seconds = Math.floor(now / 1e9) - (previous?.[0] ?? 0);
      const nanoseconds = (now % 1e9) - (previous?.[1] ?? 0);
      return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
    };
  });
  const hrtime = Reflect.get(process, 'hrtime') as object;
  patch(hrtime, 'bigint', 'process.hrtime.bigint', (real: () => bigint) => () => {
    const scheduler = simulated();
    return scheduler === undefined ? real() : BigInt(MACHINE_AGE + readClock(scheduler));
  });
}

function installUptimes(): void {
  patch(process, 'uptime', 'process.uptime', (real: () => number) => () => {
    const scheduler = simulated();
    return scheduler === undefined ? real() : readPerformance(scheduler) / 1e3;
  });
  patch(os, 'uptime', 'os.uptime', (real: () => number) => () => {
    const scheduler = simulated();
    if (scheduler === undefined) return real();
    return Math.floor((MACHINE_AGE + readClock(scheduler)) / 1e7) / 100;
  });
}

function installPerformance(): void {
  const { performance } = globalThis;
  patch(performance, 'now', 'performance.now', (real: () => number) => {
    return function (this: unknown): number {
      const scheduler = simulated();
      if (scheduler === undefined || this !== performance) return apply(real, this, []);
      return readPerformance(scheduler);
    };
  });
  patchGetter<number>(performance, 'timeOrigin', 'performance.timeOrigin', (real) => {
    return function (this: unknown) {
      const scheduler = simulated();
      if (scheduler === undefined) return apply(real, this, []);
      const skew = scheduler.current.task.host?.clock.skew ?? 0;
      return EPOCH + (processStart(scheduler) + skew - PROCESS_AGE) / 1e6;
    };
  });
}

/** Formatting without a date formats the time of now. */
function installIntl(): void {
  type Format = (date?: Date | number) => string;
  const prototype = Intl.DateTimeFormat.prototype;
  const virtual = new WeakMap<Format, Format>();
  const dated = (date: Date | number | undefined): Date | number | undefined => {
    const scheduler = simulated();
    return date !== undefined || scheduler === undefined ? date : readDate(scheduler);
  };
  patchGetter<Format>(prototype, 'format', 'Intl.DateTimeFormat.format', (real) => {
    return function (this: unknown) {
      const format = apply(real, this, []) as Format;
      let facade = virtual.get(format);
      if (facade === undefined) {
        facade = (date) => format(dated(date));
        Object.defineProperty(facade, 'name', { value: '', configurable: true });
        virtual.set(format, facade);
      }
      return facade;
    };
  });
  patch(prototype, 'formatToParts', 'Intl.DateTimeFormat.formatToParts', (real: AnyFunction) => {
    return function (this: unknown, date?: Date | number) {
      return apply(real, this, [dated(date)]) as unknown;
    };
  });
}

interface ZonedDateTime {
  toPlainDate(): unknown;
  toPlainTime(): unknown;
  toPlainDateTime(): unknown;
}

interface Instant {
  toZonedDateTimeISO(timeZone: unknown): ZonedDateTime;
}

interface TemporalNamespace {
  readonly Now: { timeZoneId(): string };
  readonly Instant: { fromEpochNanoseconds(nanoseconds: bigint): Instant };
}

/** `Temporal.Now`, where this Node version has it. */
function installTemporal(): void {
  const { Temporal } = globalThis as { Temporal?: TemporalNamespace };
  if (Temporal === undefined) return;
  const { Now, Instant } = Temporal;
  const { timeZoneId } = Now;
  const parts: Record<string, (now: ZonedDateTime) => unknown> = {
    zonedDateTimeISO: (now) => now,
    plainDateISO: (now) => now.toPlainDate(),
    plainTimeISO: (now) => now.toPlainTime(),
    plainDateTimeISO: (now) => now.toPlainDateTime(),
  };
  const instant = (nanoseconds: number): Instant =>
    Instant.fromEpochNanoseconds(BigInt(EPOCH) * 1_000_000n + BigInt(nanoseconds));
  patch(Now, 'instant', 'Temporal.Now.instant', (real: () => Instant) => () => {
    const scheduler = simulated();
    return scheduler === undefined ? real() : instant(sinceEpoch(scheduler));
  });
  for (const [name, part] of Object.entries(parts)) {
    patch(Now, name, `Temporal.Now.${name}`, (real) => (timeZone: unknown = timeZoneId()) => {
      const scheduler = simulated();
      if (scheduler === undefined) return real(timeZone) as unknown;
      return part(instant(sinceEpoch(scheduler)).toZonedDateTimeISO(timeZone));
    });
  }
}

/**
 * `Atomics.wait` with a timeout is how programs sleep synchronously. Nobody can wake the thread of
 * a simulation, so all that happens is that time passes.
 */
function installAtomicsWait(): void {
  patch(Atomics, 'wait', 'Atomics.wait', (real: AnyFunction) => {
    return function (this: unknown, array: Int32Array, index: number, value: number, ms?: number) {
      const scheduler = simulated();
      const timeout = ms === undefined ? Infinity : Number(ms);
      if (scheduler === undefined || !(timeout < Infinity)) {
        return apply(real, this, [array, index, value, ms]) as string;
      }
      const outcome = apply(real, this, [array, index, value, 0]) as string;
      if (outcome === 'timed-out') scheduler.loop.spend(Math.max(0, Math.round(timeout * 1e6)));
      return outcome;
    };
  });
}
