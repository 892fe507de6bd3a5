/**
 * What the strategies share that hold every yield point their rung allows, and pick which goes on.
 *
 * What they pick from is what is held and the *clock*: to let time pass until the next timer fires.
 * While something is held the clock moves by no more, in a whole test, than the longest delay that
 * the other strategies draw. After that it has to wait until nothing is held. Points that are held
 * one after the other add up: without that limit a test which sleeps while others work would find
 * that it has not slept long enough, however long that was.
 */

import { HOLD, isOrder, Kind, type Choice, type Held, type Strategy } from '../../kernel/choice.js';
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
  /** By how much the clock may still move while something is held, in nanoseconds. */
  private timeLeft: number;

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
    this.timeLeft = longestDelay(profile);
  }

  delay({ kind, key, occurrence, limit }: Choice): number {
    if (kind === Kind.Select)
      return (finish(mix(mix(this.seed, key), occurrence)) >>> 0) % (limit + 1);
    return limit === Infinity && isOrder(kind) ? HOLD : 0;
  }

  pick(ready: readonly Held[], now: number, next: number): Held | undefined {
    const picked = this.next(ready, next - now <= this.timeLeft);
    if (picked === CLOCK) this.timeLeft -= next - now;
    this.picked(picked, ready);
    return picked;
  }

  /** Picks one of what is ready, or CLOCK where that is possible. */
  protected abstract next(ready: readonly Held[], clock: boolean): Held | undefined;

  /** Told of what goes on. */
  protected picked(_picked: Held | undefined, _ready: readonly Held[]): void {}
}
