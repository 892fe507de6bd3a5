/**
 * Things that are reported once however often they happen, with the first trial that showed them.
 *
 * Whichever worker reports first, the sighting of the lowest trial is the one that stays.
 */

import type { Seen } from './protocol.js';

export class Sightings<T extends Seen> {
  private readonly first = new Map<string, T>();

  /** @param keyOf what makes two sightings the same */
  constructor(private readonly keyOf: (item: T) => string) {}

  add(item: T): void {
    const key = this.keyOf(item);
    const known = this.first.get(key);
    if (known === undefined || item.trial < known.trial) this.first.set(key, item);
  }

  get(key: string): T | undefined {
    return this.first.get(key);
  }

  /** Whether there is room for an item that has not been seen before. */
  get size(): number {
    return this.first.size;
  }

  /** Those seen up to a trial, in the order in which a single worker would have seen them. */
  upTo(trial: number): T[] {
    return [...this.first]
      .filter(([, item]) => item.trial <= trial)
      .sort(([a, x], [b, y]) => x.trial - y.trial || (a < b ? -1 : 1))
      .map(([, item]) => item);
  }
}
