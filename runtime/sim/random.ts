/**
 * Named streams of random numbers for a scenario.
 *
 * The n-th number of a stream is a hash of (seed, name, n). So streams are independent: drawing
 * more from one changes nothing in another.
 */

import { checkCount, checkRate } from '../kernel/arguments.js';
import { Kind } from '../kernel/choice.js';
import type { EventLoop } from '../kernel/event-loop.js';
import type { Source } from '../kernel/source.js';

export class Random {
  private drawn = 0;

  /** @internal Scenarios get theirs from {@link Sim.random}. */
  constructor(
    private readonly loop: EventLoop,
    private readonly source: Source,
  ) {}

  /** A number in [0, 1), with 53 random bits. */
  float(): number {
    return this.loop.draw(Kind.Random, this.source, ++this.drawn);
  }

  /**
   * A whole number from `min` to `max`, both included.
   * @throws {RangeError} when the bounds are not whole numbers in this order
   */
  integer(min: number, max: number): number {
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || max < min) {
      throw new RangeError(
        `random.integer: the bounds must be whole numbers, the lower one first, but they are ${min} and ${max}.`,
      );
    }
    return min + Math.floor(this.float() * (max - min + 1));
  }

  /**
   * True with the given probability.
   * @throws {RangeError} when it is not from 0 to 1
   */
  chance(probability: number): boolean {
    checkRate('random.chance', 'the probability', probability);
    return this.float() < probability;
  }

  /**
   * One of a list.
   * @throws {RangeError} when the list is empty
   */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('random.pick: the list is empty.');
    return list[Math.floor(this.float() * list.length)];
  }

  /** The list in a random order, as a new list (Fisher-Yates). */
  shuffle<T>(list: Iterable<T>): T[] {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i--) {
      const j = Math.floor(this.float() * (i + 1));
      [result[i], result[j]] = [result[j], result[i]];
    }
    return result;
  }

  /** Random bytes. */
  bytes(length: number): Uint8Array {
    checkCount('random.bytes', 'the length', length);
    return Uint8Array.from({ length }, () => Math.floor(this.float() * 256));
  }
}
