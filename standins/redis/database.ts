/**
 * One numbered database: values by key, when they expire, and who waits for or watches a key.
 *
 * A key whose time has come is taken away by whoever touches it next. While keyspace notifications
 * of that are asked for, a timer takes it away in time, as Redis's own cycle would.
 */

import type { Waiter } from './blocking.js';
import type { Engine } from './engine.js';
import { fail } from './reply.js';
import type { Session } from './session.js';
import { List } from './values/list.js';
import { SortedSet } from './values/sorted-set.js';
import { Stream } from './values/stream.js';
import { type Hash, sizeOf, type Value } from './values/index.js';

interface Entry {
  value: Value;
  /** In milliseconds since 1970. */
  expiresAt: number | undefined;
}

const wrongType = (): never =>
  fail('WRONGTYPE Operation against a key holding the wrong kind of value');

export class Database {
  private entries = new Map<string, Entry>();
  /** How many keys have a time. */
  volatile = 0;
  /** Who has to begin a transaction anew when a key changes. */
  readonly watchers = new Map<string, Set<Session>>();
  /** Blocked commands by the keys they wait for, first come first. */
  readonly waiters = new Map<string, Set<Waiter>>();

  constructor(
    readonly index: number,
    readonly engine: Engine,
  ) {}

  get(key: string): Value | undefined {
    return this.entry(key)?.value;
  }

  has(key: string): boolean {
    return this.entry(key) !== undefined;
  }

  string(key: string): string | undefined {
    const value = this.get(key);
    return value === undefined || typeof value === 'string' ? value : wrongType();
  }

  hash(key: string): Hash | undefined {
    const value = this.get(key);
    return value === undefined || value instanceof Map ? value : wrongType();
  }

  list(key: string): List | undefined {
    const value = this.get(key);
    return value === undefined || value instanceof List ? value : wrongType();
  }

  members(key: string): Set<string> | undefined {
    const value = this.get(key);
    return value === undefined || value instanceof Set ? value : wrongType();
  }

  sorted(key: string): SortedSet | undefined {
    const value = this.get(key);
    return value === undefined || value instanceof SortedSet ? value : wrongType();
  }

  stream(key: string): Stream | undefined {
    const value = this.get(key);
    return value === undefined || value instanceof Stream ? value : wrongType();
  }

  /** Puts a value, without a time unless the old one is to stay. */
  set(key: string, value: Value, keepExpiry = false): void {
    const entry = this.entry(key);
    if (entry === undefined) {
      this.entries.set(key, { value, expiresAt: undefined });
      return;
    }
    entry.value = value;
    if (!keepExpiry) this.setExpiry(key, undefined);
  }

  /** A value that is put in place if there is none. */
  obtain<V extends Value>(key: string, found: V | undefined, create: () => V): V {
    if (found !== undefined) return found;
    const value = create();
    this.set(key, value);
    return value;
  }

  /** Takes a key away without telling anybody. */
  remove(key: string): boolean {
    const entry = this.entries.get(key);
    if (entry === undefined) return false;
    if (entry.expiresAt !== undefined) this.volatile--;
    return this.entries.delete(key);
  }

  /** Takes a key away, and says so. */
  delete(key: string, event = 'del'): boolean {
    if (!this.has(key)) return false;
    this.remove(key);
    this.changed(key, event, 'g');
    return true;
  }

  expiryOf(key: string): number | undefined {
    return this.entry(key)?.expiresAt;
  }

  setExpiry(key: string, expiresAt: number | undefined): void {
    const entry = this.entry(key);
    if (entry === undefined) return;
    this.volatile += +(expiresAt !== undefined) - +(entry.expiresAt !== undefined);
    entry.expiresAt = expiresAt;
    if (expiresAt !== undefined) this.engine.expiry.schedule(expiresAt);
  }

  /**
   * Tells those who watch, wait or listen that a key has changed.
   * @param kind the letter of notify-keyspace-events
   */
  changed(key: string, event: string, kind: string): void {
    this.touched(key);
    this.engine.notify(this, key, event, kind);
  }

  /** Tells those who watch or wait. */
  touched(key: string): void {
    this.engine.changes++;
    const watchers = this.watchers.get(key);
    if (watchers !== undefined) for (const session of watchers) session.transaction.spoilt = true;
    if (this.waiters.size > 0 && this.waiters.has(key)) this.engine.blocking.ready(this, key);
  }

  /** Says that items were taken from a value, and takes the key away with the last. */
  shrunk(key: string, value: Value, event: string, kind: string): void {
    this.changed(key, event, kind);
    if (sizeOf(value) === 0) this.delete(key);
  }

  /** All keys that are there now. */
  keys(): string[] {
    this.expire();
    return [...this.entries.keys()];
  }

  get size(): number {
    this.expire();
    return this.entries.size;
  }

  clear(): void {
    const keys = [...this.entries.keys()];
    this.entries = new Map();
    this.volatile = 0;
    for (const key of keys) this.touched(key);
  }

  /** Changes what two databases hold; those who watch and wait stay. */
  swap(other: Database): void {
    [this.entries, other.entries] = [other.entries, this.entries];
    [this.volatile, other.volatile] = [other.volatile, this.volatile];
    for (const [one, two] of [
      [this, other],
      [other, this],
    ]) {
      for (const key of one.watchers.keys()) {
        if (one.has(key) || two.has(key)) one.touched(key);
      }
      for (const key of one.waiters.keys()) if (one.has(key)) one.touched(key);
    }
  }

  /** Takes away what is over. */
  expire(): void {
    if (this.volatile === 0) return;
    for (const key of this.entries.keys()) this.entry(key);
  }

  private entry(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry?.expiresAt === undefined || entry.expiresAt > this.engine.now) return entry;
    this.remove(key);
    this.changed(key, 'expired', 'x');
    return undefined;
  }
}
