/**
 * Stores with one mistake each, of the kind that reviews pass. The first five are those of the
 * store that detsim's example follows.
 */

import { DiskReadError, type FaultyStorage } from 'detsim';
import { crc32 } from '../kv/crc32.js';
import { HEADER, checksumOf, readHeader, type Header } from '../kv/record.js';
import { KvStore, type Disk, type StoreOptions, type Stored } from '../kv/store.js';

/** The checksum of a record says nothing about what precedes it. */
class Unchained extends KvStore {
  protected override sum(log: Uint8Array, at: number, end: number): number {
    return checksumOf(log, at, end, 0);
  }
}

/** Twenty zeros are a record: the checksum of nothing is zero, and no sequence is asked for. */
export class PhantomEmptyRecord extends KvStore {
  protected override sum(log: Uint8Array, at: number, end: number): number {
    return crc32(log, at + HEADER, end);
  }

  protected override follows(): boolean {
    return true;
  }
}

/** What lies behind the end of the log is left there, for a later record to lead up to. */
export class ResurrectedRecord extends Unchained {
  protected override follows(): boolean {
    return true;
  }

  protected override cutTail(): void {}
}

/** Recovery searches for valid records behind a damaged one. */
export class LaterKeyPastLostOne extends Unchained {
  protected override next(log: Uint8Array): Stored | undefined {
    for (; this.end <= log.length; this.end++) {
      const found = super.next(log);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  protected override follows({ sequence }: Header): boolean {
    return sequence > this.count;
  }
}

/** New records go behind the damaged tail, where the next recovery does not get to. */
export class OlderValueOverSyncedOne extends KvStore {
  protected override cutTail(size: number): void {
    this.end = size;
  }
}

/** The lengths in the header are not in the checksum. */
export class HeaderOutsideChecksum extends KvStore {
  protected override sum(log: Uint8Array, at: number, end: number, previous: number): number {
    return crc32(log, at + HEADER, end, previous);
  }
}

/** The tail is cut off, but the cut is not synced, and checksums stand for themselves. */
export class CutNotSynced extends Unchained {
  protected override cutTail(): void {
    this.disk.truncate(this.end);
  }
}

/** A record that is written again after a crash is the one that was there before. */
export class SameSession extends KvStore {
  constructor(disk: Disk, options: StoreOptions) {
    super(disk, { ...options, session: 0 });
  }
}

/** `sync` returns as soon as the disk has begun. */
export class SyncNotAwaited extends KvStore {
  override sync(): void {
    (this.disk as FaultyStorage).sync(() => {});
  }
}

/** The map in memory has what the disk has no room for. */
export class MapBeforeDisk extends KvStore {
  override put(key: string, value: string): void {
    this.values.set(key, value);
    super.put(key, value);
  }
}

/** The log is taken to end where it cannot be read. */
export class ReadErrorAsEnd extends KvStore {
  protected override readLog(): Uint8Array {
    try {
      return this.disk.readAt(0, this.disk.size());
    } catch (error) {
      if (error instanceof DiskReadError) return new Uint8Array(0);
      throw error;
    }
  }
}

/** A record that the end of the disk cuts short is taken as far as it goes. */
export class TornRecordAccepted extends KvStore {
  protected override next(log: Uint8Array): Stored | undefined {
    const whole = super.next(log);
    const at = this.end;
    if (whole !== undefined || log.length - at < HEADER) return whole;
    const header = readHeader(log, at);
    const keyEnd = at + HEADER + header.keyLength;
    const short = at + HEADER + header.length > log.length && keyEnd <= log.length;
    if (!short || !this.follows(header)) return undefined;
    const bytes = Buffer.from(log);
    const key = bytes.toString('utf8', at + HEADER, keyEnd);
    return { key, value: bytes.toString('utf8', keyEnd), checksum: 0, end: log.length };
  }
}
