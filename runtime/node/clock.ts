/**
 * What the clocks of a simulation say.
 *
 * Virtual 0 is 2026-01-01T00:00:00.000Z. The process is said to have started 100 ms earlier and the
 * machine an hour earlier, so that no clock reads 0, which programs take for "not set".
 *
 * Synchronous code takes no virtual time, so a loop that polls the clock would never end. Therefore
 * reading counts: of the reads since the clock last moved by itself, the first 1,000 are free, and
 * each further one moves the clock, by 1 µs at first and by twice as much after every further
 * 1,000 reads, up to 1 ms. Waiting for a second so takes about 11,000 reads.
 */

import type { Scheduler } from '../tasks/scheduler.js';
import type { Host } from './host.js';

/** Virtual 0 in milliseconds since 1970. */
export const EPOCH = Date.UTC(2026, 0, 1);
/** How long the process has been running at virtual 0, in nanoseconds. */
export const PROCESS_AGE = 100e6;
/** How long the machine has been running at virtual 0, in nanoseconds. */
export const MACHINE_AGE = 3600e9;

const FREE_READS = 1000;
const FIRST_MOVE = 1e3;
const LARGEST_MOVE = 1e6;

let reader: Scheduler | undefined;
let seen = -1;
let reads = 0;

/**
 * Reads the clock of the host that runs: nanoseconds that its machine has been running since
 * virtual 0. Every clock that a program can read goes through here.
 */
export function readClock(scheduler: Scheduler): number {
  const now = readSimulation(scheduler);
  const drift = scheduler.current.task.host?.clock.drift ?? 0;
  return drift === 0 ? now : Math.floor(now * (1 + drift));
}

function readSimulation(scheduler: Scheduler): number {
  const { loop } = scheduler;
  if (loop.now !== seen || scheduler !== reader) {
    reader = scheduler;
    reads = 0;
    return (seen = loop.now);
  }
  if (++reads >= FREE_READS) {
    const doublings = Math.floor(reads / FREE_READS) - 1;
    loop.spend(Math.min(FIRST_MOVE * 2 ** doublings, LARGEST_MOVE));
    seen = loop.now;
  }
  return seen;
}

/** The time of day as nanoseconds since {@link EPOCH}. */
export function sinceEpoch(scheduler: Scheduler): number {
  return readClock(scheduler) + (scheduler.current.task.host?.clock.skew ?? 0);
}

/** The same, of a host, without counting as a read. */
export function timeOfDay({ scheduler, clock }: Host): number {
  return Math.floor(scheduler.loop.now * (1 + clock.drift)) + clock.skew;
}

/** When the process of the host that runs started, on its own monotonic clock, in nanoseconds. */
export function processStart(scheduler: Scheduler): number {
  const { host } = scheduler.current.task;
  return host === undefined ? 0 : Math.floor(host.startedAt * (1 + host.clock.drift));
}

/** What `Date.now()` says: whole milliseconds since 1970. */
export function readDate(scheduler: Scheduler): number {
  return EPOCH + Math.floor(sinceEpoch(scheduler) / 1e6);
}

/** What `performance.now()` says: milliseconds since the process started. */
export function readPerformance(scheduler: Scheduler): number {
  return (PROCESS_AGE + readClock(scheduler) - processStart(scheduler)) / 1e6;
}
