/**
 * The strategy of a seed: whether each fault strikes goes by its rate, and how long each latency
 * lasts by its distribution. Every decision is a hash of (seed, key, occurrence), so none depends
 * on what else was decided.
 */

import { noDeviation, type Kind, type Spread, type Strategy } from '../kernel/choice.js';
import { finish, fraction, hashSeed, mix } from '../kernel/hash.js';

const WORDS = 4294967296;

class Seeded implements Strategy {
  readonly bytesSeed: number;

  constructor(private readonly hash: number) {
    this.bytesSeed = finish(mix(hash, 0xb17e5)) >>> 1;
  }

  delay(): number {
    return 0;
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
