/**
 * The strategies of a sweep: what proposes deviations.
 *
 * Each is a pure function of a seed and the key of the choice, but for the delay-bounded one, which
 * also counts the choices it has been asked for.
 */

import { Kind, type Strategy } from '../kernel/choice.js';
import { finish, fraction, mix } from '../kernel/hash.js';
import { MILLISECOND } from '../kernel/sim.js';

/** How long the delays of one trial are: a scale, and draws from an eighth of it to twice it. */
const SCALES = [1e6, 1e6, 1e7, 1e7, 1e7, 1e8, 1e8, 1e9];

/** How often a choice deviates in one trial of the random strategy. */
const RATES = [0.5, 0.25, 0.12, 0.06, 0.03];

function pick<T>(from: readonly T[], hash: number): T {
  return from[(finish(hash) >>> 0) % from.length];
}

/**
 * Draws a delay of two significant digits, never above `limit`, in nanoseconds. Timers go by whole
 * milliseconds.
 */
function drawDelay(kind: Kind, scale: number, hash: number, limit: number): number {
  const drawn = Math.min(limit, scale * 2 ** (4 * fraction(hash) - 3));
  if (kind === Kind.Timer) return Math.ceil(drawn / MILLISECOND) * MILLISECOND;
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(drawn)) - 1);
  return Math.floor(drawn / digit) * digit;
}

/** Values vary with the seed in three trials of four, so that some vary nothing but the order. */
function values(seed: number): Pick<Strategy, 'value' | 'bytesSeed'> {
  const vary = (finish(mix(seed, 0x7a1)) & 3) !== 0;
  return {
    value: vary ? (key, occurrence) => fraction(mix(mix(seed, key), occurrence)) : () => undefined,
    bytesSeed: vary ? finish(mix(seed, 0xb17e5)) >>> 1 : 0,
  };
}

/** Each choice deviates with one probability, drawn for the trial. */
export function random(seed: number): Strategy {
  const rate = pick(RATES, mix(seed, 1));
  const scale = pick(SCALES, mix(seed, 2));
  return {
    ...values(seed),
    delay(kind: Kind, key: number, occurrence: number, limit: number): number {
      const hash = mix(mix(seed, key), occurrence);
      return limit > 0 && fraction(hash) < rate ? drawDelay(kind, scale, mix(hash, 3), limit) : 0;
    },
  };
}

/**
 * A budget of one to four deviations, placed uniformly over the choices of a run.
 *
 * After delay-bounded scheduling (Emmi, Qadeer and Rakamarić, POPL 2011): most bugs need few
 * deviations from a deterministic default. Placing them at random positions instead of enumerating
 * is what PCT does with its priority change points (Burckhardt et al., ASPLOS 2010).
 * @param expected how many choices an earlier run had
 */
export function delayBounded(seed: number, expected: number): Strategy {
  const scale = pick(SCALES, mix(seed, 2));
  const budget = 1 + ((finish(mix(seed, 4)) >>> 0) % 4);
  const places = new Set<number>();
  for (let i = 0; i < budget; i++) {
    places.add(1 + Math.floor(fraction(mix(mix(seed, 5), i)) * Math.max(1, expected)));
  }
  let asked = 0;
  return {
    ...values(seed),
    delay(kind: Kind, key: number, occurrence: number, limit: number): number {
      if (!places.has(++asked) || limit <= 0) return 0;
      return drawDelay(kind, scale, mix(mix(mix(seed, key), occurrence), 3), limit);
    },
  };
}
