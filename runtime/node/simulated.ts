/**
 * Where a facade goes: to the simulation that runs now, or straight to the real thing.
 */

import { active, type Scheduler } from '../tasks/scheduler.js';

/** The simulation that the code which runs now belongs to; undefined when there is none. */
export function simulated(): Scheduler | undefined {
  const { scheduler } = active;
  return scheduler === undefined || scheduler.ended ? undefined : scheduler;
}
