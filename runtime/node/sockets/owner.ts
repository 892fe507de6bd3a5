/**
 * To whom the events of a socket belong: each is a task below that of the owner, and so runs on the
 * owner's host.
 */

import type { Frame } from '../../tasks/frame.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import type { SourceSite } from '../../tasks/sites.js';
import type { Task } from '../../tasks/task.js';
import { siteOfCall } from '../operation.js';

export interface Owner {
  readonly task: Task;
  readonly site: SourceSite;
  readonly caller: Frame;
}

/** The one who runs now. */
export function ownerNow(scheduler: Scheduler): Owner {
  const caller = scheduler.current;
  return { task: caller.task, site: siteOfCall(scheduler), caller };
}

/** The task of the next event of an owner. */
export function nextTask(scheduler: Scheduler, { task, site }: Owner): Task {
  return scheduler.childTask(task, site.eventLabel, site.eventLabelHash);
}
