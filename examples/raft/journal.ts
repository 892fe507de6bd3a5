/**
 * A node's stable storage: a journal of checksummed records on a disk that can fail.
 *
 * A record is a length, a checksum and JSON. The checksum covers the length and continues the one
 * before it, so that neither zeros nor records left from an earlier life pass for the next record.
 * Reading ends at the first record that does not hold: what follows was never synced, and is cut
 * off. The first record holds everything up to then; replacing the journal writes that record
 * with a higher generation to the other one of two disks, so that one of them is always whole.
 */

import { crc32 } from 'node:zlib';
import type { Entry, Snapshot } from './messages.js';
import type { Saved, Store } from './store.js';

/** What the journal needs of a disk. */
export interface Disk {
  readAt(offset: number, length: number): Uint8Array;
  writeAt(offset: number, bytes: Uint8Array): void;
  truncate(size: number): void;
  sync(): void;
  size(): number;
}

/** Length and checksum, 32 bits each, big-endian. */
const HEADER = 8;

type Item =
  | { readonly start: Saved; readonly generation: number }
  | { readonly vote: readonly [term: number, votedFor: string | null] }
  | { readonly entry: Entry };

/** A journal as found on a disk. */
interface Found {
  readonly generation: number;
  readonly saved: { term: number; votedFor: string | null; snapshot: Snapshot; entries: Entry[] };
  /** Where its last good record ends, and that record's checksum. */
  end: number;
  checksum: number;
}

export class Journal implements Store {
  private generation = 0;
  private end = 0;
  private checksum = 0;

  /** @param disks the one in use and the spare; which is which changes with every replacement */
  constructor(private disks: [Disk, Disk]) {}

  load(): Saved | undefined {
    const found = this.disks.map(read);
    const [first, second] = found.map((journal) => journal?.generation ?? 0);
    if (second > first) {
      this.disks.reverse();
      found.reverse();
    }
    const newest = found[0];
    if (newest === undefined) return undefined;
    this.generation = newest.generation;
    this.end = newest.end;
    this.checksum = newest.checksum;
    this.cutTail();
    return newest.saved;
  }

  saveVote(term: number, votedFor: string | null): void {
    this.write({ vote: [term, votedFor] });
  }

  append(entry: Entry): void {
    this.write({ entry });
  }

  replace(start: Saved): void {
    this.disks.reverse();
    this.disks[0].truncate(0);
    this.end = this.checksum = 0;
    this.write({ start, generation: ++this.generation });
    this.sync();
  }

  sync(): void {
    this.disks[0].sync();
  }

  /** Takes what follows the last good record off the disk. */
  private cutTail(): void {
    const [disk] = this.disks;
    if (disk.size() === this.end) return;
    disk.truncate(this.end);
    disk.sync();
  }

  private write(item: Item): void {
    const body = JSON.stringify(item);
    const length = Buffer.byteLength(body);
    const record = Buffer.allocUnsafe(HEADER + length);
    record.writeUInt32BE(length, 0);
    record.write(body, HEADER);
    this.checksum = checksumOf(record, this.checksum);
    record.writeUInt32BE(this.checksum, 4);
    this.disks[0].writeAt(this.end, record);
    this.end += record.length;
  }
}

/** The checksum of a whole record, which has its own in the middle. */
function checksumOf(record: Buffer, previous: number): number {
  return crc32(record.subarray(HEADER), crc32(record.subarray(0, 4), previous));
}

function read(disk: Disk): Found | undefined {
  const bytes = Buffer.from(disk.readAt(0, disk.size()));
  let found: Found | undefined;
  let end = 0;
  let checksum = 0;
  while (end + HEADER <= bytes.length) {
    const next = end + HEADER + bytes.readUInt32BE(end);
    if (next > bytes.length) break;
    const record = bytes.subarray(end, next);
    const expected = checksumOf(record, checksum);
    if (record.readUInt32BE(4) !== expected) break;
    const item = JSON.parse(record.toString('utf8', HEADER)) as Item;
    end = next;
    checksum = expected;
    if ('start' in item) {
      const { start, generation } = item;
      found = { generation, saved: { ...start, entries: [...start.entries] }, end, checksum };
    } else {
      found!.end = end;
      found!.checksum = checksum;
      replay(found!.saved, item);
    }
  }
  return found;
}

function replay(saved: Found['saved'], item: Exclude<Item, { start: Saved }>): void {
  if ('vote' in item) {
    [saved.term, saved.votedFor] = item.vote;
  } else {
    saved.entries.length = item.entry.index - saved.snapshot.lastIndex - 1;
    saved.entries.push(item.entry);
  }
}
