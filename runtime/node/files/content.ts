/**
 * The bytes of a file: what reads see, and what of it is safe from a crash.
 *
 * What was written and not synced is in memory only. How it reaches the medium, and what a crash
 * leaves of it, is the model of `storage/medium.ts`, with sectors and faults of its own for every
 * file. As Linux does, the system writes back by itself what is older than half a minute, and more
 * than so many writes.
 */

import type { Source } from '../../kernel/source.js';
import { Bytes } from '../../storage/bytes.js';
import { Medium } from '../../storage/medium.js';
import type { DiskFaults } from '../../storage/profile.js';
import { Unsynced } from '../../storage/unsynced.js';
import type { Simulation } from '../../kernel/simulation.js';

/** Writes are written back when there are more of them. */
const MOST_UNSYNCED = 1024;
/** The age at which the system writes back, in nanoseconds: `dirty_expire_centisecs` and a bit. */
export const WRITE_BACK_AGE = 35e9;
/** How finely ages are told apart, in nanoseconds. */
const AGE_STEP = 5e9;

/** The disk that a file is on. */
export interface ContentHolder {
  readonly simulation: Simulation;
  readonly faults: DiskFaults;
  /** Where the choices about a file come from. */
  sourceOf(name: string): Source;
  /** There is something unsynced in it. */
  dirty(content: Content): void;
  clean(content: Content): void;
  /** Its size on the disk has changed by so many bytes. */
  grew(by: number): void;
}

export class Content {
  private bytes: Bytes | undefined;
  private unsynced: Unsynced | undefined;
  private medium: Medium | undefined;
  /** What was the last operation at some times, the oldest first. */
  private readonly ages: { readonly time: number; readonly last: number }[] = [];

  /**
   * @param name what it is called in traces, and tells it from other files of the disk
   * @param real reads it from the real disk, where it comes from there
   */
  constructor(
    private readonly holder: ContentHolder,
    private readonly name: string,
    private readonly real?: { readonly size: number; load(): Uint8Array },
  ) {
    if (real === undefined) this.bytes = new Bytes(0);
  }

  get size(): number {
    return this.bytes === undefined ? this.real!.size : this.bytes.length;
  }

  /** Whether it is as it is on the real disk. */
  get untouched(): boolean {
    return this.real !== undefined && this.unsynced === undefined;
  }

  private get loaded(): Bytes {
    if (this.bytes === undefined) {
      this.bytes = new Bytes(0);
      const loaded = this.real!.load();
      // Not a copy: what is written to goes into an array of its own; see `own`.
      this.bytes.data = loaded;
      this.bytes.length = loaded.length;
    }
    return this.bytes;
  }

  /** Reads into `target`; returns how many bytes there were. */
  read(position: number, target: Uint8Array): number {
    const { loaded } = this;
    const length = Math.max(0, Math.min(target.length, loaded.length - position));
    if (length > 0) target.set(loaded.view(position, position + length));
    return length;
  }

  /** All bytes; not a copy. */
  view(): Uint8Array {
    return this.loaded.view();
  }

  write(position: number, source: Uint8Array): void {
    const bytes = this.own();
    const before = bytes.length;
    this.begun().write(position, source);
    bytes.write(position, source);
    this.holder.grew(bytes.length - before);
    this.age();
  }

  resize(size: number): void {
    const bytes = this.own();
    if (size === bytes.length) return;
    const before = bytes.length;
    this.begun().truncate(size);
    bytes.resize(size);
    this.holder.grew(size - before);
    this.age();
  }

  /** Its own array of bytes, before the first change. */
  private own(): Bytes {
    const { loaded } = this;
    if (this.untouched) loaded.data = loaded.data.slice();
    return loaded;
  }

  private begun(): Unsynced {
    this.unsynced ??= new Unsynced();
    if (this.unsynced.operations.length === 0) this.holder.dirty(this);
    return this.unsynced;
  }

  private age(): void {
    const { now } = this.holder.simulation.loop;
    const { ages } = this;
    const { last, operations } = this.unsynced!;
    if (operations.length > MOST_UNSYNCED) this.commit(operations[MOST_UNSYNCED / 2].number);
    if (ages.length > 0 && now - ages[ages.length - 1].time < AGE_STEP) {
      ages[ages.length - 1] = { time: ages[ages.length - 1].time, last };
    } else ages.push({ time: now, last });
  }

  // ---- durability ------------------------------------------------------------------------------

  /** Brings what was written so far to the medium. */
  sync(): void {
    if (this.unsynced !== undefined) this.commit(this.unsynced.last);
  }

  private commit(upTo: number): void {
    const unsynced = this.unsynced!;
    if (unsynced.operations.length === 0) return;
    if (this.onMedium().commit(unsynced, upTo)) this.refresh();
    if (unsynced.operations.length === 0) this.isClean();
  }

  /** The power goes; see {@link Medium.losePower}. */
  losePower(crash: number): void {
    const unsynced = this.unsynced!;
    const { now } = this.holder.simulation.loop;
    const old = this.ages.findLast(({ time }) => time <= now - WRITE_BACK_AGE);
    if (old !== undefined) this.commit(old.last);
    if (unsynced.operations.length === 0) return;
    this.onMedium().losePower(unsynced, crash);
    this.refresh();
    this.isClean();
  }

  private isClean(): void {
    this.ages.length = 0;
    this.holder.clean(this);
  }

  /** What reads see becomes what is on the medium, with what is not synced over it. */
  private refresh(): void {
    const { loaded } = this;
    const before = loaded.length;
    loaded.copy(this.medium!.bytes);
    this.unsynced!.replay(loaded);
    this.holder.grew(loaded.length - before);
  }

  private onMedium(): Medium {
    if (this.medium === undefined) {
      const { simulation, faults } = this.holder;
      const medium = new Medium(simulation, this.holder.sourceOf(this.name), faults, 0);
      if (this.real !== undefined) medium.bytes.write(0, this.real.load());
      this.medium = medium;
    }
    return this.medium;
  }
}
