/**
 * Where a facade goes: to the simulation that runs now, or straight to the real thing. What only
 * follows tasks, or draws a value, does so in a run on plain Node as well.
 */

import { active, type Scheduler } from '../tasks/scheduler.js';

/** The simulation that the code which runs now belongs to; undefined when there is none. */
export function simulated(): Scheduler | undefined {
  const scheduler = followed();
  return scheduler === undefined || scheduler.plainNode ? undefined : scheduler;
}

/** The simulation, or the run on plain Node that follows a schedule; see plain-node.ts. */
export function followed(): Scheduler | undefined {
  const { scheduler } = active;
  return scheduler === undefined || scheduler.ended ? undefined : scheduler;
}
