/**
 * From a seed to the strategy of every scope.
 *
 * A seed says all there is to say about a trial: its last two bits are the highest rung that may
 * deviate, and seed 0 is the empty schedule, which is plain Node. So a seed replays by itself,
 * whatever sweep it comes from.
 */

import { Kind, noDeviation, type Strategy } from '../kernel/choice.js';
import { finish, hashSeed, hashString, mix } from '../kernel/hash.js';
import { ANY, NATIVE, NODE, STUBS, type Rung } from '../kernel/rung.js';
import type { Recorder } from '../kernel/event-loop.js';
import { delayBounded, random } from './strategies.js';

/** Rung and strategy for one scope: a test, a suite-level hook, or loading. */
export type ScopePlan = (scope: string) => { rung: Rung; strategy: Strategy };

/** What the run of the empty schedule says of a scope. */
export interface ScopeProfile {
  /** How many delays were choices on each rung or below. */
  readonly choices: readonly number[];
  /** Virtual nanoseconds from the first choice to the last. */
  readonly duration: number;
}

/** The profile of each scope of a test file. */
export type Profile = ReadonlyMap<string, ScopeProfile>;

/** The largest base seed that a user may give. */
export const MAX_SEED = 2 ** 48;

/**
 * The seed of a trial.
 * @param base the sweep's own seed
 * @param trial counts from 1; trial 1 is the empty schedule
 * @param highest the highest rung of the sweep
 */
export function seedOf(base: number, trial: number, highest: Rung): number {
  return trial === 1 ? 0 : 4 * (base + trial - 2) + rungOfTrial(trial, highest);
}

/** The rung of a seed: the last two bits. */
export function rungOf(seed: number): Rung {
  return (seed % 4) as Rung;
}

/**
 * `node` and `stubs` come first and go on through the whole sweep; `any` gets the rest: nothing of
 * the first 300 trials, and half of those that follow.
 */
function rungOfTrial(trial: number, highest: Rung): Rung {
  if (highest <= NODE) return highest;
  if (highest === ANY && trial > 300 && trial % 2 === 0) return ANY;
  return trial % 4 === 2 ? NODE : STUBS;
}

/** Every scope takes its defaults. */
export const emptyPlan: ScopePlan = () => ({ rung: NATIVE, strategy: noDeviation });

/**
 * The plan of a seed. Each scope draws for itself, so that a test alone behaves as in its file.
 * @param profile from the run of the empty schedule; see {@link profileRecorder}
 */
export function seedPlan(seed: number, profile: Profile): ScopePlan {
  const rung = rungOf(seed);
  if (rung === NATIVE) return emptyPlan;
  return (scope) => {
    const scopeSeed = finish(mix(hashSeed(seed), hashString(scope)));
    const { choices, duration } = profile.get(scope) ?? NOTHING;
    const bounded = (finish(mix(scopeSeed, 6)) & 1) === 1;
    if (!bounded) return { rung, strategy: random(scopeSeed, duration) };
    // Above rung node the few deviations go to what that rung adds.
    const [kinds, expected] =
      rung === NODE ? [anyKind, choices[NODE]] : [isAdded, choices[rung] - choices[NODE]];
    return { rung, strategy: delayBounded(scopeSeed, duration, expected, kinds) };
  };
}

const anyKind = (): boolean => true;

/** What rungs above `node` add: stand-ins and awaits that take longer. */
const isAdded = (kind: Kind): boolean => kind === Kind.Await || kind === Kind.Timer;

const NOTHING: ScopeProfile = { choices: [0, 0, 0, 0], duration: 0 };

/** Measures the scopes of a run for a {@link Profile}. */
export function profileRecorder(): { recorder: Recorder; profile: Profile } {
  const profile = new Map<string, { choices: number[]; duration: number; begin: number }>();
  const recorder: Recorder = {
    choice({ kind, rung, task }, at) {
      if (kind === Kind.Random) return;
      const { title } = task.scope;
      let measured = profile.get(title);
      if (measured === undefined) {
        profile.set(title, (measured = { choices: [0, 0, 0, 0], duration: 0, begin: at }));
      }
      for (let r = rung; r <= ANY; r++) measured.choices[r]++;
      measured.duration = at - measured.begin;
    },
  };
  return { recorder, profile };
}
