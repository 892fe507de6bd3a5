/**
 * One way of a message through the network: an event whose time the sender's site chooses.
 */

import type { Scheduler } from '../../tasks/scheduler.js';
import type { SourceSite } from '../../tasks/sites.js';
import { ChosenEvent } from '../chosen-event.js';

export class Leg extends ChosenEvent {
  /** @param least nanoseconds */
  constructor(
    scheduler: Scheduler,
    site: SourceSite,
    least: number,
    protected readonly happen: () => void,
  ) {
    super(scheduler, site, least);
  }
}
