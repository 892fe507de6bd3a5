/**
 * The choices of a scenario that is written by hand: which of its tasks goes on first.
 *
 * Each operation of a task primitive takes no time, or up to about a microsecond of it: as long as
 * code takes, so that it comes before or after what other tasks do at the same time, and before any
 * time limit that is worth its name. How many take time is drawn for the run: in some nearly all
 * do, in others nearly none, where tasks run on for long. Seed 0 is plain: nothing takes time, and
 * a `select` takes the first case that is ready.
 */

import { Kind, noDeviation, type Strategy } from '../kernel/choice.js';
import { finish, fraction, hashSeed, mix } from '../kernel/hash.js';

/** How many of 256 operations take time, by run. */
const SHARES = [256, 192, 128, 64, 24];

/** The longest that an operation takes, in nanoseconds. */
const LONGEST = 1024;

/**
 * The strategy of a seed.
 * @param seed an integer between 0 and 2^53 - 1
 */
export function interleave(seed: number): Strategy {
  if (seed === 0) return noDeviation;
  const base = hashSeed(seed);
  const share = SHARES[(finish(mix(base, 1)) >>> 0) % SHARES.length]!;
  return {
    bytesSeed: base >>> 1,
    value: (key, occurrence) => fraction(mix(mix(base, key), occurrence)),
    strikes: (_kind, key, occurrence, rate) => fraction(mix(mix(base, key), occurrence)) < rate,
    latency: (_kind, key, occurrence, spread) => spread(fraction(mix(mix(base, key), occurrence))),
    delay({ kind, key, occurrence, limit }) {
      const word = finish(mix(mix(base, key), occurrence)) >>> 0;
      if (kind === Kind.Select) return word % (limit + 1);
      if (kind !== Kind.Operation || (word & 255) >= share) return 0;
      return 1 + ((word >>> 8) % LONGEST);
    },
  };
}
