/**
 * An event of hosts and scenarios: something happens now, in the poll phase of the next turn, and
 * no choice is made about it.
 */

import { VirtualEvent } from '../node/virtual-event.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';

export function ownEvent(scheduler: Scheduler, site: SourceSite, happen: () => void): void {
  const event = new VirtualEvent(scheduler, site, 'HOST');
  scheduler.loop.after(0, () => {
    event.run(happen);
    event.destroy();
  });
}
