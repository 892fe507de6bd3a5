/**
 * The strategies of a sweep: what proposes deviations.
 *
 * Each is a pure function of a seed and the key of the choice, but for the delay-bounded one, which
 * also counts the choices it has been asked for.
 */

import { Kind, type Strategy } from '../kernel/choice.js';
import { finish, fraction, mix } from '../kernel/hash.js';
import { MILLISECOND } from '../kernel/event-loop.js';

/** How often a choice deviates in one trial of the random strategy. */
const RATES = [0.5, 0.25, 0.12, 0.06, 0.03];

/**
 * The longest delay of one step: 64 ms, or a third of the test where that is longer. Longer ones
 * would mostly find that tests which wait by sleeping do not wait for ever.
 */
const LONGEST = 64 * MILLISECOND;
const SHARE_OF_TEST = 1 / 3;

/** Half of the trials draw delays uniformly, half by their order of magnitude. */
const MAGNITUDES = 9;

function pick<T>(from: readonly T[], hash: number): T {
  return from[(finish(hash) >>> 0) % from.length];
}

type DrawDelay = (kind: Kind, hash: number, limit: number) => number;

/**
 * Draws delays of two significant digits, never above the limit, in nanoseconds.
 * @param duration of the test without deviations, in virtual nanoseconds
 */
function delays(seed: number, duration: number): DrawDelay {
  const longest = Math.max(LONGEST, duration * SHARE_OF_TEST);
  const uniform = (finish(mix(seed, 2)) & 1) === 1;
  return (kind, hash, limit) => {
    const part = fraction(mix(hash, 3));
    const drawn = longest * (uniform ? part : 2 ** (-MAGNITUDES * part));
    // Timers go by whole milliseconds.
    if (kind === Kind.Timer) return Math.ceil(drawn / MILLISECOND) * MILLISECOND;
    const delay = Math.max(1, Math.min(limit, drawn));
    const digit = 10 ** Math.max(0, Math.floor(Math.log10(delay)) - 1);
    return Math.floor(delay / digit) * digit;
  };
}

/**
 * Values vary with the seed in three trials of four, so that some vary nothing but the order. What
 * the simulated world does goes by the rates and ranges it was given.
 */
function values(seed: number): Omit<Strategy, 'delay'> {
  const vary = (finish(mix(seed, 0x7a1)) & 3) !== 0;
  return {
    value: vary ? (key, occurrence) => fraction(mix(mix(seed, key), occurrence)) : () => undefined,
    bytesSeed: vary ? finish(mix(seed, 0xb17e5)) >>> 1 : 0,
    strikes: (_kind, key, occurrence, rate) => fraction(mix(mix(seed, key), occurrence)) < rate,
    latency: (_kind, key, occurrence, spread) => spread(fraction(mix(mix(seed, key), occurrence))),
  };
}

/**
 * Each choice deviates with one probability, drawn for the trial.
 * @param duration of the test without deviations, in virtual nanoseconds
 */
export function random(seed: number, duration: number): Strategy {
  const rate = pick(RATES, mix(seed, 1));
  const draw = delays(seed, duration);
  return {
    ...values(seed),
    delay(kind: Kind, key: number, occurrence: number, limit: number): number {
      const hash = mix(mix(seed, key), occurrence);
      return limit > 0 && fraction(hash) < rate ? draw(kind, hash, limit) : 0;
    },
  };
}

/**
 * A budget of one to four deviations, placed uniformly over the choices of a run.
 *
 * After delay-bounded scheduling (Emmi, Qadeer and Rakamarić, POPL 2011): most bugs need few
 * deviations from a deterministic default. Placing them at random positions instead of enumerating
 * is what PCT does with its priority change points (Burckhardt et al., ASPLOS 2010).
 * @param duration of the test without deviations, in virtual nanoseconds
 * @param expected how many choices of the kinds an earlier run had
 * @param kinds where the budget may be spent
 */
export function delayBounded(
  seed: number,
  duration: number,
  expected: number,
  kinds: (kind: Kind) => boolean,
): Strategy {
  const budget = 1 + ((finish(mix(seed, 4)) >>> 0) % 4);
  const draw = delays(seed, duration);
  const places = new Set<number>();
  for (let i = 0; i < budget; i++) {
    places.add(1 + Math.floor(fraction(mix(mix(seed, 5), i)) * Math.max(1, expected)));
  }
  let asked = 0;
  return {
    ...values(seed),
    delay(kind: Kind, key: number, occurrence: number, limit: number): number {
      if (!kinds(kind) || !places.has(++asked) || limit <= 0) return 0;
      return draw(kind, mix(mix(seed, key), occurrence), limit);
    },
  };
}
