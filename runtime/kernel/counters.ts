/**
 * Counts how often each key has come up, for the occurrence number of a choice.
 *
 * An open-addressing table of 32-bit keys: it is asked at every await, and reused from trial to
 * trial. Two places whose keys collide would share a counter, which changes the numbering and
 * nothing else: the same program gives the same numbers.
 */
export class Counters {
  private keys: number[];
  private counts: number[];
  private used = 0;
  private mask: number;

  constructor(capacity = 64) {
    this.keys = new Array<number>(capacity).fill(0);
    this.counts = new Array<number>(capacity).fill(0);
    this.mask = capacity - 1;
  }

  /** Counts one more of `key` and returns the count so far, from 1. */
  next(key: number): number {
    const { keys, counts, mask } = this;
    let i = (key ^ (key >>> 15)) & mask;
    while (counts[i] !== 0) {
      if (keys[i] === key) return ++counts[i];
      i = (i + 1) & mask;
    }
    keys[i] = key;
    counts[i] = 1;
    if (++this.used * 2 > mask) this.grow();
    return 1;
  }

  private grow(): void {
    const { keys, counts } = this;
    const bigger = new Counters(keys.length * 2);
    for (let i = 0; i < keys.length; i++) {
      if (counts[i] !== 0) bigger.put(keys[i], counts[i]);
    }
    this.keys = bigger.keys;
    this.counts = bigger.counts;
    this.mask = bigger.mask;
  }

  private put(key: number, count: number): void {
    let i = (key ^ (key >>> 15)) & this.mask;
    while (this.counts[i] !== 0) i = (i + 1) & this.mask;
    this.keys[i] = key;
    this.counts[i] = count;
  }
}
