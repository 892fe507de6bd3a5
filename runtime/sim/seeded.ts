/**
 * The strategy of a seed: whether each fault strikes goes by its rate, how long each latency lasts
 * by its distribution, and how long an operation of a task takes as below. Every decision is a hash
 * of (seed, key, occurrence), so none depends on what else was decided.
 *
 * An operation of a task primitive takes no time, or up to about a microsecond of it: as long as
 * code takes, so that it comes before or after what other tasks do at the same time, and before any
 * time limit that is worth its name. How many take time is drawn for the run: in some runs most
 * do, in others few, and tasks run on for long.
 */

import { Kind, noDeviation, type Choice, type Spread, type Strategy } from '../kernel/choice.js';
import { finish, fraction, hashSeed, mix } from '../kernel/hash.js';

const WORDS = 4294967296;

/** How many of 256 operations take time, by run. */
const SHARES = [192, 128, 64, 32, 16];

/** The longest that an operation takes, in nanoseconds. */
const LONGEST = 1024;

class Seeded implements Strategy {
  readonly bytesSeed: number;
  private readonly share: number;

  constructor(private readonly hash: number) {
    this.bytesSeed = finish(mix(hash, 0xb17e5)) >>> 1;
    this.share = SHARES[(finish(mix(hash, 0x5a7e)) >>> 0) % SHARES.length];
  }

  delay({ kind, key, occurrence, limit }: Choice): number {
    const word = finish(mix(mix(this.hash, key), occurrence)) >>> 0;
    if (kind === Kind.Select) return word % (limit + 1);
    if (kind !== Kind.Operation || (word & 255) >= this.share) return 0;
    return 1 + ((word >>> 8) % LONGEST);
  }

  value(key: number, occurrence: number): number {
    return fraction(mix(mix(this.hash, key), occurrence));
  }

  strikes(_kind: Kind, key: number, occurrence: number, rate: number): boolean {
    return finish(mix(mix(this.hash, key), occurrence)) >>> 0 < rate * WORDS;
  }

  latency(_kind: Kind, key: number, occurrence: number, spread: Spread): number {
    return spread(fraction(mix(mix(this.hash, key), occurrence)));
  }
}

/** Seed 0 is the empty schedule: no fault, and everything takes its least time. */
export function seeded(seed: number): Strategy {
  return seed === 0 ? noDeviation : new Seeded(hashSeed(seed));
}
