/**
 * One operation of simulated I/O: it is begun now, and completes as an event of the poll phase.
 *
 * How long it takes beyond its least is a choice of the site that asked for it, on rung `node`:
 * when an external source completes is what plain Node leaves open. By default nothing is added, so
 * operations complete in the order of their least times. What an operation does to the simulated
 * world it does when it completes, just before its callback.
 */

import type { Scheduler } from '../tasks/scheduler.js';
import { siteAt, unknownSite, type SourceSite } from '../tasks/sites.js';
import { ChosenEvent } from './chosen-event.js';
import { markOfCall } from './uncontrolled.js';
import { VirtualEvent } from './virtual-event.js';

/**
 * The site of the call that is being made: of its own, or of the call of `http.request` and its
 * like that has led to it. Where no instrumented code made one, that of the frame that runs: what
 * Node's own modules do in the callback of an operation belongs to the operation.
 */
export function siteOfCall(scheduler: Scheduler): SourceSite {
  const marked = scheduler.takeSite();
  if (marked !== unknownSite) return marked;
  const mark = markOfCall();
  return mark === 0 ? scheduler.current.site : siteAt(mark);
}

export class Operation extends ChosenEvent {
  private readonly event: VirtualEvent;

  /**
   * @param type what async_hooks call it, as Node does: `FSREQCALLBACK`, `TCPCONNECTWRAP`
   * @param least nanoseconds
   * @param complete does what it does, and calls back; runs as a task of its own
   * @param longest the longest that may be added; with a finite one it is never held
   */
  constructor(
    scheduler: Scheduler,
    type: string,
    least: number,
    private readonly complete: () => void,
    longest = Infinity,
  ) {
    const site = siteOfCall(scheduler);
    super(scheduler, site, least, longest);
    this.event = new VirtualEvent(scheduler, site, type);
  }

  override cancel(): void {
    super.cancel();
    this.event.destroy();
  }

  protected happen(): void {
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
