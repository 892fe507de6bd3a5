/**
 * A condition that a scenario waits for: it is looked at after every event, until it holds or the
 * time is over.
 */

import { pristine } from '../node/pristine.js';
import { siteOfCall } from '../node/operation.js';
import { ownEvent } from '../hosts/own-event.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';

export class AwaitedCondition {
  readonly promise: Promise<void>;
  private readonly site: SourceSite;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  /**
   * @param within nanoseconds
   * @param late makes the error for when the time is over
   * @param among what is looked at after every event
   */
  constructor(
    private readonly scheduler: Scheduler,
    private readonly condition: () => boolean,
    within: number,
    late: () => Error,
    private readonly among: Set<AwaitedCondition>,
  ) {
    this.site = siteOfCall(scheduler);
    this.promise = new pristine.Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    among.add(this);
    const deadline = scheduler.loop.after(within, () => this.settle(() => this.reject(late())));
    this.cancel = () => void scheduler.loop.cancel(deadline);
    this.look();
  }

  private readonly cancel: () => void;

  look(): void {
    if (!this.among.has(this)) return;
    try {
      if (this.condition()) this.settle(() => this.resolve());
    } catch (error) {
      this.settle(() => this.reject(error));
    }
  }

  private settle(settle: () => void): void {
    if (!this.among.delete(this)) return;
    this.cancel();
    ownEvent(this.scheduler, this.site, settle);
  }
}
