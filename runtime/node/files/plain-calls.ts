/**
 * Operations on files in a run on plain Node that follows a schedule: the real operation is begun
 * after the real delay of its choice.
 */

import { Kind } from '../../kernel/choice.js';
import { MILLISECOND } from '../../kernel/event-loop.js';
import { NODE } from '../../kernel/rung.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { siteOfCall } from '../operation.js';
import { pristine } from '../pristine.js';
import { VirtualEvent } from '../virtual-event.js';

/**
 * Begins an operation when its time has come.
 * @param begin begins it; what it is given runs the callback of the operation as a task of its own
 */
export function beginPlainly(
  scheduler: Scheduler,
  type: string,
  least: number,
  begin: (complete: (callback: () => void) => void) => void,
): void {
  const { loop, current } = scheduler;
  const site = siteOfCall(scheduler);
  const due = loop.now + least;
  const delay = loop.choose(Kind.Io, NODE, current.task, site, Infinity, due);
  const event = new VirtualEvent(scheduler, site, type);
  const start = (): void =>
    begin((callback) => {
      event.run(callback);
      event.destroy();
    });
  if (delay <= 0) start();
  else pristine.setTimeout(start, delay / MILLISECOND);
}
