/**
 * An event of the poll phase whose time is chosen: it takes at least so long, and what it takes
 * beyond that is a choice of the site that asks for it, on rung `node`.
 */

import { Kind } from '../kernel/choice.js';
import { QueuedEvent } from '../kernel/event-queue.js';
import { NODE } from '../kernel/rung.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';

export abstract class ChosenEvent extends QueuedEvent {
  /** What is chosen beyond the least, in nanoseconds; see `EventLoop.choose`. */
  private readonly delay: number;
  /** Lets it go on; only while it is held. */
  private release: (() => number) | undefined = undefined;

  /**
   * @param least nanoseconds
   * @param longest the longest that may be added; with a finite one it is never held
   */
  constructor(
    protected readonly scheduler: Scheduler,
    site: SourceSite,
    private readonly least: number,
    longest = Infinity,
  ) {
    super();
    const { loop, current } = scheduler;
    current.task.host?.beforeOperation?.();
    this.delay = loop.choose(Kind.Io, NODE, current.task, site, longest, loop.now + least);
  }

  /** Its time has come. */
  protected abstract happen(): void;

  /** Begins it now. */
  begin(): this {
    this.scheduler.loop.schedule(this.least + Math.max(0, this.delay), this);
    return this;
  }

  /** Takes it back; nothing comes of it. */
  cancel(): void {
    const { loop } = this.scheduler;
    if (this.release !== undefined) loop.dropHeld(this.release);
    this.release = undefined;
    loop.cancel(this);
  }

  run(): void {
    if (this.delay < 0 && this.release === undefined) {
      this.hold();
      return;
    }
    this.release = undefined;
    this.happen();
  }

  private hold(): void {
    const { loop } = this.scheduler;
    this.release = () => {
      loop.schedule(1, this);
      return this.due;
    };
    loop.hold(this.delay, this.release);
  }
}
