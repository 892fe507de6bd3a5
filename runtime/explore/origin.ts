/**
 * Where a trial came from: a seed, or a schedule when it was one that a search has put together.
 */

import type { Rung } from '../kernel/rung.js';
import { emptyPlan, rungOf, seedPlan, type ScopePlan } from './plan.js';
import type { Profile } from './profile.js';
import { parseSchedule } from './schedule.js';
import { schedulePlan } from './strategies/replay.js';

export type Origin = { readonly seed: number } | { readonly schedule: string };

/**
 * The plan that runs the trial again.
 * @param profile from the run of the empty schedule; a schedule needs none
 * @param test the scope that deviations without a scope belong to
 */
export function planOf(of: Origin, profile: Profile, test?: string): ScopePlan {
  if ('schedule' in of) return schedulePlan(parseSchedule(of.schedule), test);
  return of.seed === 0 ? emptyPlan : seedPlan(of.seed, profile);
}

/** The highest rung that may deviate. */
export function rungOfOrigin(of: Origin): Rung {
  return 'seed' in of ? rungOf(of.seed) : parseSchedule(of.schedule).rung;
}
