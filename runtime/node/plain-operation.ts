/**
 * An operation of the pool in a run on plain Node: the real one, begun after the real delay of the
 * choice that the simulation would have asked for.
 */

import { Kind } from '../kernel/choice.js';
import { MILLISECOND } from '../kernel/event-loop.js';
import { NODE } from '../kernel/rung.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { siteOfCall } from './operation.js';
import { pristine } from './pristine.js';
import { VirtualEvent } from './virtual-event.js';

/**
 * Begins a real operation.
 * @param least what it takes at least in a simulation, in nanoseconds
 * @param begin begins it; what it calls back runs by `event.run`
 */
export function beginReally(
  scheduler: Scheduler,
  type: string,
  least: number,
  begin: (event: VirtualEvent) => void,
): void {
  const { loop, current } = scheduler;
  const site = siteOfCall(scheduler);
  const delay = loop.choose(Kind.Io, NODE, current.task, site, Infinity, loop.now + least);
  const event = new VirtualEvent(scheduler, site, type);
  if (delay > 0) pristine.setTimeout(() => begin(event), delay / MILLISECOND);
  else begin(event);
}
