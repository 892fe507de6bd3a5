/**
 * Faults that the program itself provides for: `buggify` and `failpoint`.
 *
 * Who writes a system knows best where it is hard to get right: a queue that is full, a batch of
 * one, a commit that is not answered. Such places ask here, and a seed decides. Outside a
 * simulation, and where the config says nothing of them, they do nothing. After BUGGIFY of
 * FoundationDB (Zhou and others, SIGMOD 2021) and the failpoints of FreeBSD.
 */

import { checkRate, checkString } from '../kernel/arguments.js';
import { Kind } from '../kernel/choice.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { fraction, hashString, mix } from '../kernel/hash.js';
import { Source } from '../kernel/source.js';
import { spreadOf } from '../kernel/spread.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { sleep } from '../tasks/primitives/time.js';
import type { Failpoint, Faults } from './faults.js';
import { currentHost } from './host.js';
import { pristine } from './pristine.js';
import { followed } from './simulated.js';

/**
 * Whether the program shall do the unusual here. Each name is on in half of the trials, and says
 * true then with probability `p`. False outside a simulation, and unless `faults.buggify` of the
 * config or `--buggify` turns it on.
 * @param name tells the place from others, in traces and schedules
 * @throws {RangeError | TypeError} when the name is empty, or `p` not from 0 to 1
 */
export function buggify(name: string, p = 0.25): boolean {
  checkString('buggify', 'the name', name);
  checkRate('buggify', 'the probability', p);
  const scheduler = followed();
  if (scheduler === undefined) return false;
  const { faults } = currentHost(scheduler);
  if (faults.program?.buggify !== true || !isOn(name, scheduler.faults)) return false;
  return strikes(scheduler, Kind.Buggify, name, p) !== undefined;
}

/** In a replay, which has no seed, every name is on: the schedule says what it does. */
function isOn(name: string, { seed }: Faults): boolean {
  return seed === undefined || fraction(mix(mix(seed, 0xb066), hashString(name))) < 0.5;
}

/**
 * A place that can fail. What it does is said in the config:
 *
 *     "faults": { "failpoints": { "db.commit": { "rate": 0.1, "error": "ECONNRESET" } } }
 *
 * When it strikes it throws that error, or returns the `value`; with a `latency` it returns a
 * promise of the value, or of the error, which takes so long. Otherwise, and outside a simulation,
 * it returns undefined. So `await failpoint('db.commit')` serves for all.
 * @throws the error that the config says; {TypeError} when the name is empty
 */
export function failpoint(name: string): unknown {
  checkString('failpoint', 'the name', name);
  const scheduler = followed();
  if (scheduler === undefined) return undefined;
  const point = currentHost(scheduler).faults.program?.failpoints?.[name];
  if (point === undefined) return undefined;
  const struck = strikes(scheduler, Kind.Failpoint, name, point.rate);
  return struck === undefined ? undefined : strike(scheduler, name, point, struck);
}

interface Struck {
  readonly source: Source;
  readonly occurrence: number;
}

/** What is asked by one task is counted for itself, so that it does not shift with other tasks. */
function strikes(
  { loop, current }: Scheduler,
  kind: Kind,
  name: string,
  rate: number,
): Struck | undefined {
  const source = new Source(current.task, name);
  const occurrence = loop.ordinal(mix(source.base, kind) >>> 1);
  return loop.strikes(kind, source, occurrence, rate) ? { source, occurrence } : undefined;
}

function strike(
  scheduler: Scheduler,
  name: string,
  { error, value, latency }: Failpoint,
  { source, occurrence }: Struck,
): unknown {
  const act = (): unknown => {
    if (error === undefined) return value;
    throw injected(name, error);
  };
  if (latency === undefined) return act();
  const spread = spreadOf('failpoint', 'latency', latency);
  const more = scheduler.loop.latency(Kind.Latency, source, occurrence, spread);
  return later(scheduler, latency.min + more).then(act);
}

function later(scheduler: Scheduler, nanoseconds: number): Promise<void> {
  if (!scheduler.plainNode) return sleep(nanoseconds);
  return new pristine.Promise((resolve) => {
    pristine.setTimeout(resolve, nanoseconds / MILLISECOND);
  });
}

/** A code is a word in capitals; anything else is a message. */
function injected(name: string, error: string): Error {
  const made = new Error(/^[A-Z][A-Z0-9_]*$/.test(error) ? `${error}: injected` : error);
  if (made.message !== error) Object.assign(made, { code: error });
  return Object.assign(made, { failpoint: name });
}
