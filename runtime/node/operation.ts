/**
 * One operation of simulated I/O: it is begun now, and completes as an event of the poll phase.
 *
 * How long it takes beyond its least is a choice of the site that asked for it, on rung `node`:
 * when an external source completes is what plain Node leaves open. By default nothing is added, so
 * operations complete in the order of their least times. What an operation does to the simulated
 * world it does when it completes, just before its callback.
 */

import { Kind } from '../kernel/choice.js';
import { QueuedEvent } from '../kernel/event-queue.js';
import { NODE } from '../kernel/rung.js';
import type { Frame } from '../tasks/frame.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { unknownSite, type SourceSite } from '../tasks/sites.js';
import { VirtualEvent } from './virtual-event.js';

/**
 * The site of the call that is being made. Where no instrumented code made it, that of the frame
 * that runs: what Node's own modules do in the callback of an operation belongs to the operation.
 */
export function siteOfCall(scheduler: Scheduler): SourceSite {
  const marked = scheduler.takeSite();
  return marked === unknownSite ? scheduler.current.site : marked;
}

export class Operation extends QueuedEvent {
  /** The least it takes, and what is chosen beyond that, in nanoseconds; see `EventLoop.choose`. */
  private readonly least: number;
  private readonly delay: number;
  private readonly event: VirtualEvent;
  private readonly release = (): number => {
    this.event.scheduler.loop.schedule(1, this);
    return this.due;
  };
  private held = false;

  /**
   * @param type what async_hooks call it, as Node does: `FSREQCALLBACK`, `TCPCONNECTWRAP`
   * @param least nanoseconds
   * @param complete does what it does, and calls back; runs as a task of its own
   * @param longest the longest that may be added; with a finite one it is never held
   */
  constructor(
    private readonly scheduler: Scheduler,
    type: string,
    least: number,
    private readonly complete: () => void,
    longest = Infinity,
  ) {
    super();
    const caller: Frame = scheduler.current;
    const site = siteOfCall(scheduler);
    const { loop } = scheduler;
    this.least = least;
    this.delay = loop.choose(Kind.Io, NODE, caller.task, site, longest, loop.now + least);
    this.event = new VirtualEvent(scheduler, site, type);
  }

  /** Begins it now. */
  begin(): this {
    this.scheduler.loop.schedule(this.least + Math.max(0, this.delay), this);
    return this;
  }

  /** Takes it back; nothing comes of it. */
  cancel(): void {
    const { loop } = this.scheduler;
    if (this.held) loop.dropHeld(this.release);
    this.held = false;
    loop.cancel(this);
    this.event.destroy();
  }

  run(): void {
    if (this.delay < 0 && !this.held) {
      this.held = true;
      this.scheduler.loop.hold(this.delay, this.release);
      return;
    }
    this.held = false;
    this.event.run(this.complete);
    this.event.destroy();
  }
}

/** Begins an operation now; see {@link Operation}. */
export function operate(
  scheduler: Scheduler,
  type: string,
  least: number,
  complete: () => void,
): Operation {
  return new Operation(scheduler, type, least, complete).begin();
}
