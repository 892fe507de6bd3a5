/**
 * The stand-in for the shared store. It answers at once; the real one takes its time.
 */

import type { Store } from '../../src/store';

export class MemoryStore implements Store {
  readonly #values = new Map<string, number>();

  async get(key: string): Promise<number | undefined> {
    return this.#values.get(key);
  }

  async set(key: string, value: number): Promise<void> {
    this.#values.set(key, value);
  }
}
