/**
 * The strategies that a seed can name. A strategy is made for each scope of a trial, from a seed
 * and the profile of the scope.
 */

import type { Strategy } from '../../kernel/choice.js';
import { NODE, type Rung } from '../../kernel/rung.js';
import type { ScopeProfile } from '../profile.js';
import { delayBounded } from './delay-bounded.js';
import { Pct } from './pct.js';
import { Pos } from './pos.js';
import { random } from './random.js';
import { Surw } from './surw.js';

/** The place of a name is its code in a seed: never reorder them. */
export const SEEDED = ['random', 'delay-bounded', 'pct', 'pos', 'surw'] as const;

export type SeededName = (typeof SEEDED)[number];

type Make = (seed: number, profile: ScopeProfile, rung: Rung) => Strategy;

const MAKERS: Readonly<Record<SeededName, Make>> = {
  random,
  'delay-bounded': delayBounded,
  pct: (seed, profile, rung) => new Pct(seed, profile, heldSteps(profile, rung)),
  pos: (seed, profile) => new Pos(seed, profile),
  surw: (seed, profile, rung) => new Surw(seed, profile, rung),
};

export function makeStrategy(
  name: SeededName,
  seed: number,
  profile: ScopeProfile,
  rung: Rung,
): Strategy {
  return MAKERS[name](seed, profile, rung);
}

/** Points that can be held, and times at which the clock moves, in the run without deviations. */
function heldSteps({ choices, times }: ScopeProfile, rung: Rung): number {
  return choices[rung] - choices[NODE] + times.length;
}
