/**
 * Something of the program's that will happen later: a timer, an immediate, a completion.
 *
 * It remembers who asked for it: the frame, the site, and the async context, so that its callback
 * runs as the first frame of a task of its own and AsyncLocalStorage stores are kept.
 */

import { AsyncResource } from 'node:async_hooks';
import type { Frame } from '../tasks/frame.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { unknownSite, type SourceSite } from '../tasks/sites.js';
import type { Task } from '../tasks/task.js';
import { runInContext } from './pristine.js';

/** Node must not tell its hooks of the end of a resource at the whim of the garbage collector. */
const OPTIONS = { requireManualDestroy: true };

export class VirtualEvent {
  readonly task: Task;
  /** Whoever asked, for stacks; code of which nothing is known would make an endless chain. */
  private readonly caller: Frame | undefined;
  private resource: AsyncResource;

  /** @param type what async_hooks call the resource, as Node names its own */
  constructor(
    readonly scheduler: Scheduler,
    readonly site: SourceSite,
    private readonly type: string,
  ) {
    const { current } = scheduler;
    this.caller = current.site === unknownSite ? undefined : current;
    this.task = scheduler.childTask(current.task, site.eventLabel, site.eventLabelHash);
    this.resource = new AsyncResource(type, OPTIONS);
  }

  /** Runs the callback. What it throws goes to the event loop of the simulation. */
  run(callback: () => unknown): void {
    const { scheduler, task } = this;
    if (task.host !== undefined && scheduler.pauseOf(task) > 0) {
      scheduler.loop.after(scheduler.pauseOf(task), () => this.run(callback));
      return;
    }
    runInContext(this.resource, runEvent, this, callback);
  }

  /** The event is armed again after it has happened: from here on the context is that of now. */
  renewContext(): void {
    this.resource = new AsyncResource(this.type, OPTIONS);
  }

  /** Nothing more will come of it. */
  destroy(): void {
    this.resource.emitDestroy();
  }

  /** @internal */
  enter(callback: () => unknown): void {
    this.scheduler.runEvent(this.task, this.site, this.caller, callback);
  }
}

function runEvent(event: VirtualEvent, callback: () => unknown): void {
  event.enter(callback);
}
