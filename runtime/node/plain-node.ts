/**
 * A run on plain Node that follows a schedule: real timers, real promises and the real event loop,
 * with real delay at the named calls. This is how a finding on rung `node` is confirmed.
 *
 * Tasks and frames are known as in a simulation, so a choice has the key it has there. What the
 * schedule says of synchronous code is spent by computing, and a loop that has to be late is kept
 * busy from just before the timer is due until it is as late as it has to be.
 */

import { Kind } from '../kernel/choice.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { NODE } from '../kernel/rung.js';
import { active, type Scheduler } from '../tasks/scheduler.js';
import type { VirtualEvent } from './virtual-event.js';
import { pristine } from './pristine.js';

/** How often the loop may look at one timer before it is due. */
const LOOKS = 8;

/** The run on plain Node that the code which runs now belongs to; undefined when there is none. */
export function onPlainNode(): Scheduler | undefined {
  const { scheduler } = active;
  return scheduler === undefined || scheduler.ended || !scheduler.plainNode ? undefined : scheduler;
}

/** Lets synchronous code cost time, on the clock that the run goes by. */
export function spend(scheduler: Scheduler, nanoseconds: number): void {
  if (!scheduler.plainNode) scheduler.loop.spend(nanoseconds);
  else if (nanoseconds > 0) computeUntil(pristine.performanceNow() + nanoseconds / MILLISECOND);
}

/**
 * Sees to it that the loop is late when a timer is due, if the schedule says so. Call it before the
 * timer is started: of timers of one duration the first made is the first to run.
 * @param milliseconds in which the timer is due
 */
export function delayLoop(event: VirtualEvent, milliseconds: number): void {
  const { scheduler, task, site } = event;
  const { loop } = scheduler;
  let stall = 0;
  for (let i = 0; i < LOOKS && stall === 0; i++) {
    stall = loop.choose(Kind.Stall, NODE, task, site, Infinity);
  }
  if (stall === 0) return;
  const end = pristine.performanceNow() + milliseconds + stall / MILLISECOND;
  pristine.setTimeout(() => computeUntil(end), Math.max(1, milliseconds - 1));
}

/** @param end on the clock of `performance.now`, in milliseconds */
function computeUntil(end: number): void {
  while (pristine.performanceNow() < end);
}
