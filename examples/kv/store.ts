/**
 * A key-value store in memory whose puts are in a write-ahead log, so that it comes back after a
 * crash.
 *
 * A put is safe once `sync` has returned after it. What comes back is a prefix of the puts: the
 * log ends at the first record that is not valid, and what lies behind it is cut off before
 * anything new is written there.
 */

import { DiskReadError } from 'detsim';
import { HEADER, checksumOf, encode, readHeader, writeChecksum, type Header } from './record.js';

/** What the store needs of a disk; `FaultyStorage` is one. */
export interface Disk {
  size(): number;
  readAt(offset: number, length: number): Uint8Array;
  writeAt(offset: number, bytes: Uint8Array): void;
  truncate(size: number): void;
  sync(): void;
}

export interface StoreOptions {
  /** Without checksums nothing tells a damaged record from a good one. */
  readonly checksums: boolean;
  /** A random 32-bit number, another one each time the log is opened. */
  readonly session: number;
}

/** How often a read that fails is tried again. */
const READS = 10;

/** A valid record, and where the next one begins. */
export interface Stored {
  readonly key: string;
  readonly value: string;
  readonly checksum: number;
  readonly end: number;
}

export class KvStore {
  protected readonly values = new Map<string, string>();
  /** Records in the log. */
  protected count = 0;
  /** Where the log ends. */
  protected end = 0;
  /** Checksum of the last record. */
  protected checksum = 0;

  /** The log is taken to be empty; `recover` reads what is there. */
  constructor(
    protected readonly disk: Disk,
    protected readonly options: StoreOptions,
  ) {}

  get(key: string): string | undefined {
    return this.values.get(key);
  }

  keys(): string[] {
    return [...this.values.keys()];
  }

  /** How many puts the log holds. */
  get length(): number {
    return this.count;
  }

  /** @throws DiskFullError when there is no room; then nothing has changed */
  put(key: string, value: string): void {
    const record = encode(this.options.session, this.count + 1, key, value);
    const checksum = this.sum(record, 0, record.length, this.checksum);
    writeChecksum(record, checksum);
    this.disk.writeAt(this.end, record);
    this.end += record.length;
    this.checksum = checksum;
    this.count++;
    this.values.set(key, value);
  }

  /** Returns when all puts so far are safe. */
  sync(): void {
    this.disk.sync();
  }

  /**
   * Reads the log, and cuts off what is not part of it.
   * @returns how many puts came back
   * @throws DiskReadError when the disk cannot be read after several attempts
   */
  recover(): number {
    const log = this.readLog();
    this.values.clear();
    this.count = 0;
    this.end = 0;
    this.checksum = 0;
    for (let next = this.next(log); next !== undefined; next = this.next(log)) {
      this.values.set(next.key, next.value);
      this.checksum = next.checksum;
      this.end = next.end;
      this.count++;
    }
    this.cutTail(log.length);
    return this.count;
  }

  /** The record behind those read so far, if there is a valid one. */
  protected next(log: Uint8Array): Stored | undefined {
    const at = this.end;
    if (log.length - at < HEADER) return undefined;
    const header = readHeader(log, at);
    const { length, keyLength, checksum } = header;
    if (!this.follows(header)) return undefined;
    // Lengths are not to be trusted before they are compared with what is there.
    if (length > log.length - at - HEADER || keyLength > length) return undefined;
    const end = at + HEADER + length;
    if (this.sum(log, at, end, this.checksum) !== checksum) return undefined;
    const keyEnd = at + HEADER + keyLength;
    return { key: text(log, at + HEADER, keyEnd), value: text(log, keyEnd, end), checksum, end };
  }

  /** Whether the sequence goes on with this record. */
  protected follows({ sequence }: Header): boolean {
    return sequence === this.count + 1;
  }

  /** The checksum of the record from `at` to `end`, behind one with the checksum `previous`. */
  protected sum(log: Uint8Array, at: number, end: number, previous: number): number {
    return this.options.checksums ? checksumOf(log, at, end, previous) : 0;
  }

  /** The whole disk. A read error does not mean that the log ends there. */
  protected readLog(): Uint8Array {
    for (let attempt = 1; ; attempt++) {
      try {
        return this.disk.readAt(0, this.disk.size());
      } catch (error) {
        if (!(error instanceof DiskReadError) || attempt === READS) throw error;
      }
    }
  }

  /** What is behind the log must not come to be part of it. */
  protected cutTail(size: number): void {
    if (this.end === size) return;
    this.disk.truncate(this.end);
    this.disk.sync();
  }
}

function text(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
}
