/**
 * From a seed to the strategy of every scope.
 *
 * A seed says all there is to say about a trial: its last two bits are the highest rung that may
 * deviate, the three bits before them the strategy, and seed 0 is the empty schedule, which is
 * plain Node. So a seed replays by itself, whatever sweep it comes from.
 */

import { noDeviation, type Strategy } from '../kernel/choice.js';
import { finish, hashSeed, hashString, mix } from '../kernel/hash.js';
import { ANY, NATIVE, NODE, STUBS, type Rung } from '../kernel/rung.js';
import { NO_PROFILE, type Profile } from './profile.js';
import { makeStrategy, SEEDED, type SeededName } from './strategies/index.js';

/** What decides the choices of one scope: a test, a suite-level hook, or loading. */
export interface Decider {
  readonly rung: Rung;
  readonly strategy: Strategy;
  /** From which kinds of faults are drawn in a swarm; all are possible where there is none. */
  readonly seed?: number;
}

export type ScopePlan = (scope: string) => Decider;

/** The largest base seed that a user may give. */
export const MAX_SEED = 2 ** 47;

/** How many rungs and strategies the last bits of a seed tell apart. */
const RUNG_CODES = 4;
const STRATEGY_CODES = 8;

/**
 * The seed of a trial after the first, which is the empty schedule.
 * @param base the sweep's own seed
 * @param trial counts from 1
 */
export function seedOf(base: number, trial: number, rung: Rung, strategy: SeededName): number {
  const number = base + trial - 2;
  return (number * STRATEGY_CODES + SEEDED.indexOf(strategy)) * RUNG_CODES + rung;
}

/** The rung of a seed: the last two bits. */
export function rungOf(seed: number): Rung {
  return (seed % RUNG_CODES) as Rung;
}

/** The strategy of a seed: the three bits before the last two. A code without one is `random`. */
export function strategyOf(seed: number): SeededName {
  return SEEDED[Math.floor(seed / RUNG_CODES) % STRATEGY_CODES] ?? 'random';
}

/**
 * The rung of a trial. `node` and `stubs` come first and go on through the whole sweep; `any` gets
 * the rest: nothing of the first 300 trials, and half of those that follow.
 * @param highest the highest rung of the sweep
 */
export function rungOfTrial(trial: number, highest: Rung): Rung {
  if (highest <= NODE) return highest;
  if (highest === ANY && trial > 300 && trial % 2 === 0) return ANY;
  return trial % 4 === 2 ? NODE : STUBS;
}

/** Every scope takes its defaults. */
export const emptyPlan: ScopePlan = () => ({ rung: NATIVE, strategy: noDeviation });

/**
 * The plan of a seed. Each scope draws for itself, so that a test alone behaves as in its file.
 * @param profile from the run of the empty schedule; see {@link Profile}
 */
export function seedPlan(seed: number, profile: Profile): ScopePlan {
  const rung = rungOf(seed);
  if (rung === NATIVE) return emptyPlan;
  const name = strategyOf(seed);
  return (scope) => {
    const scopeSeed = finish(mix(hashSeed(seed), hashString(scope)));
    const strategy = makeStrategy(name, scopeSeed, profile.get(scope) ?? NO_PROFILE, rung);
    return { rung, strategy, seed: scopeSeed };
  };
}
