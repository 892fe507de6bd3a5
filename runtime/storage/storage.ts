/**
 * A byte-addressable disk that fails as disks do.
 *
 * What was written and not synced is in a cache: reads see it, and a crash may lose any part of it.
 * A sync brings it to the medium, and from then on reads see what is really there. Lost sectors and
 * torn ones are decided when the power goes, everything else when a write reaches the medium.
 */

import { checkCount, checkFunction, checkString } from '../kernel/arguments.js';
import { Kind } from '../kernel/choice.js';
import { CallbackEvent, type QueuedEvent } from '../kernel/event-queue.js';
import { hashString } from '../kernel/hash.js';
import type { Simulation } from '../kernel/simulation.js';
import { Source } from '../kernel/source.js';
import { Bytes } from './bytes.js';
import { DiskFullError, DiskReadError } from './errors.js';
import { Medium } from './medium.js';
import { resolveProfile, type DiskFaults, type StorageProfile } from './profile.js';
import { Unsynced } from './unsynced.js';

const FIRST_CAPACITY = 1024;

export class FaultyStorage {
  private readonly faults: DiskFaults;
  private readonly source: Source;
  private readonly medium: Medium;
  /** What reads see: the medium, with what is not synced over it. */
  private readonly cache = new Bytes(FIRST_CAPACITY);
  private readonly unsynced = new Unsynced();
  /** Syncs that are under way. */
  private readonly syncing = new Set<QueuedEvent>();
  private reads = 0;
  private syncs = 0;
  private crashes = 0;

  /**
   * @param name for traces and errors; the faults of a disk depend on it
   * @throws {RangeError | TypeError} with the value that is wrong
   */
  constructor(
    private readonly simulation: Simulation,
    readonly name: string,
    profile: StorageProfile = {},
  ) {
    checkString('new FaultyStorage', 'the name', name);
    this.faults = resolveProfile(profile);
    const ordinal = simulation.loop.ordinal(hashString(`disk/${name}`) >>> 1);
    const suffix = ordinal === 1 ? '' : `.${ordinal}`;
    this.source = new Source(simulation.root, `disk/${name}${suffix}`);
    this.medium = new Medium(simulation, this.source, this.faults, FIRST_CAPACITY);
  }

  // ---- reading ---------------------------------------------------------------------------------

  /** How many bytes there are. */
  size(): number {
    return this.cache.length;
  }

  /**
   * Reads `length` bytes from `offset` on, or as many as there are up to the end of the disk.
   * @throws {DiskReadError} when the fault `readError` strikes
   * @throws {RangeError} when a number is negative or not whole
   */
  readAt(offset: number, length: number): Uint8Array {
    checkCount('storage.readAt', 'the offset', offset);
    checkCount('storage.readAt', 'the length', length);
    this.checkReadable(offset);
    return this.cache.data.slice(offset, Math.min(offset + length, this.cache.length));
  }

  /**
   * Reads into a buffer, as {@link FaultyStorage.readAt} does but without making one. Returns how
   * many bytes were read: fewer than there is room for at the end of the disk.
   */
  read(into: Uint8Array, offset: number): number {
    checkCount('storage.read', 'the offset', offset);
    this.checkReadable(offset);
    const length = Math.max(0, Math.min(into.length, this.cache.length - offset));
    into.set(this.cache.view(offset, offset + length));
    return length;
  }

  private checkReadable(offset: number): void {
    const { simulation, source, faults } = this;
    if (!simulation.loop.strikes(Kind.ReadError, source, ++this.reads, faults.readError)) return;
    simulation.log?.add('fault', `${this.name}: read error at byte ${offset}`);
    throw new DiskReadError(this.name, offset);
  }

  // ---- writing ---------------------------------------------------------------------------------

  /**
   * Writes bytes; what lies between the end of the disk and `offset` becomes zero. Safe from a
   * crash once it is synced.
   * @throws {DiskFullError} when they do not fit; then nothing is written
   * @throws {RangeError} when the offset is negative or not whole
   */
  writeAt(offset: number, bytes: Uint8Array): void {
    checkCount('storage.writeAt', 'the offset', offset);
    if (!(bytes instanceof Uint8Array)) {
      throw new TypeError('storage.writeAt: the bytes must be a Uint8Array.');
    }
    this.checkFits(offset + bytes.length);
    this.simulation.log?.add('write', `${this.name}: ${bytes.length} bytes at ${offset}`);
    if (bytes.length === 0) return;
    this.unsynced.write(offset, bytes);
    this.cache.write(offset, bytes);
  }

  /**
   * Cuts the disk off at `size`, or fills it up with zeros. It is a write like any other.
   * @throws {DiskFullError} when it does not fit
   */
  truncate(size: number): void {
    checkCount('storage.truncate', 'the size', size);
    this.checkFits(size);
    this.simulation.log?.add('write', `${this.name}: truncated to ${size} bytes`);
    this.unsynced.truncate(size);
    this.cache.resize(size);
  }

  /**
   * Brings everything written so far to the medium.
   *
   * Without `done` the call blocks: it is over when it returns, and where the disk has a latency
   * the clock has moved by it. With `done` it goes on by itself: what was written is safe when
   * `done` is called, and when a crash comes first it is not called.
   */
  sync(done?: () => void): void {
    if (done !== undefined) checkFunction('storage.sync', 'done', done);
    const { simulation, source, faults } = this;
    const { loop } = simulation;
    const number = ++this.syncs;
    const skipped = loop.strikes(Kind.SkipSync, source, number, faults.skipSync);
    simulation.log?.add('sync', this.name);
    if (skipped) simulation.log?.add('fault', `${this.name}: a sync that does nothing`);
    const { min, max } = faults.latency;
    const latency = max === 0 ? 0 : min + loop.latency(Kind.Latency, source, number, faults.spread);
    const upTo = skipped ? 0 : this.unsynced.last;
    if (done === undefined) {
      loop.spend(latency);
      this.commit(upTo);
      return;
    }
    const event = new CallbackEvent(() => {
      this.syncing.delete(event);
      this.commit(upTo);
      done();
    });
    this.syncing.add(event);
    loop.schedule(latency, event);
  }

  private commit(upTo: number): void {
    if (this.medium.commit(this.unsynced, upTo)) this.refreshCache();
  }

  private refreshCache(): void {
    this.cache.copy(this.medium.bytes);
    this.unsynced.replay(this.cache);
  }

  // ---- crashes ---------------------------------------------------------------------------------

  /**
   * The power goes. Of what was not synced each sector of each write is on the medium, or not; a
   * share of them is torn. Syncs under way come to nothing.
   */
  crash(): void {
    this.simulation.log?.add('crash', this.name);
    for (const event of this.syncing) this.simulation.loop.cancel(event);
    this.syncing.clear();
    this.medium.losePower(this.unsynced, ++this.crashes);
    this.cache.copy(this.medium.bytes);
  }

  /** Puts bytes on the medium, as they are: what was there and what was not synced is gone. */
  seedRaw(bytes: Uint8Array): void {
    this.unsynced.clear();
    this.medium.bytes.resize(0);
    this.medium.bytes.write(0, bytes);
    this.cache.copy(this.medium.bytes);
  }

  private checkFits(end: number): void {
    const { maxSize } = this.faults;
    if (end > maxSize) throw new DiskFullError(this.name, end, maxSize);
  }
}
