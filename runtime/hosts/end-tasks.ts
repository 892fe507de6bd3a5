/**
 * Ends what the tasks of a process that is no more still have pending: timers, places in the lines
 * of primitives, and frames that wait. None of it is run, not even `finally` blocks.
 */

import type { Host } from '../node/host.js';
import type { Frame } from '../tasks/frame.js';
import type { Scheduler } from '../tasks/scheduler.js';

export function endTasks(scheduler: Scheduler, host: Host): void {
  const { loop, live, operations } = scheduler;
  for (const timer of [...loop.pendingTimers()]) {
    if ((timer.task as { host?: Host }).host === host) loop.stopTimer(timer);
  }
  for (const waiter of [...operations.blocked()]) {
    if (waiter.owner.task.host === host) operations.unblock(waiter);
  }
  for (const frame of [...operations.running]) {
    if (frame.task.host === host) operations.ended(frame);
  }
  const ended: Frame[] = [];
  for (let frame = live.next!; frame !== live; frame = frame.next!) {
    if (frame.task.host === host) ended.push(frame);
  }
  for (const frame of ended) frame.unlink();
}
