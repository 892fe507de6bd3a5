/**
 * What the pool asks of the shared store: Redis in production, a Map in the tests.
 */

export interface Store {
  get(key: string): Promise<number | undefined>;
  set(key: string, value: number): Promise<void>;
}
