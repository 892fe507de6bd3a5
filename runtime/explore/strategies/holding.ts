/**
 * What the strategies share that hold every yield point their rung allows, and pick which goes on.
 *
 * What they pick from is what is held and the *clock*: to let time pass until the next timer fires.
 * Nothing is held for longer than the longest delay that the other strategies draw; after that the
 * clock has to wait, so that a test which sleeps is not overtaken by its own time limit.
 */

import { HOLD, isAdded, Kind, type Choice, type Held, type Strategy } from '../../kernel/choice.js';
import { finish, mix } from '../../kernel/hash.js';
import type { ScopeProfile } from '../profile.js';
import { longestDelay, values } from './draws.js';

/** Where the clock stands among what is held. */
export const CLOCK = undefined;

export abstract class Holding implements Strategy {
  readonly value: Strategy['value'];
  readonly strikes: Strategy['strikes'];
  readonly latency: Strategy['latency'];
  readonly bytesSeed: number;
  private readonly longest: number;

  constructor(
    protected readonly seed: number,
    profile: ScopeProfile,
  ) {
    ({
      value: this.value,
      strikes: this.strikes,
      latency: this.latency,
      bytesSeed: this.bytesSeed,
    } = values(seed));
    this.longest = longestDelay(profile);
  }

  delay({ kind, key, occurrence, limit }: Choice): number {
    if (kind === Kind.Select)
      return (finish(mix(mix(this.seed, key), occurrence)) >>> 0) % (limit + 1);
    return limit === Infinity && isAdded(kind) ? HOLD : 0;
  }

  pick(ready: readonly Held[], _now: number, next: number): Held | undefined {
    let oldest = Infinity;
    for (const { since } of ready) oldest = Math.min(oldest, since);
    const picked = this.next(ready, next <= oldest + this.longest);
    this.picked(picked, ready);
    return picked;
  }

  /** Picks one of what is ready, or CLOCK where that is possible. */
  protected abstract next(ready: readonly Held[], clock: boolean): Held | undefined;

  /** Told of what goes on. */
  protected picked(_picked: Held | undefined, _ready: readonly Held[]): void {}
}
