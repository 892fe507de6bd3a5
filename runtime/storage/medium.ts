/**
 * What is really on a disk, and how writes get there.
 */

import { Kind } from '../kernel/choice.js';
import type { Simulation } from '../kernel/simulation.js';
import type { Source } from '../kernel/source.js';
import { Bytes } from './bytes.js';
import type { DiskFaults } from './profile.js';
import { isTruncation, type Operation, type Unsynced } from './unsynced.js';

/** How much of what is not synced a crash loses; each crash draws one of them. */
const LOSSES = [0, 0.1, 0.5, 0.9, 1];

/** Places are numbered by what they are the place of, so that each is a choice of its own. */
const enum PlaceOf {
  Corruption,
  Misdirection,
  Tear,
  Loss,
  Count,
}

export class Medium {
  readonly bytes: Bytes;
  /** Sectors of unsynced writes that crashes have decided about. */
  private sectors = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly source: Source,
    private readonly faults: DiskFaults,
    capacity: number,
  ) {
    this.bytes = new Bytes(capacity);
  }

  // ---- syncs -----------------------------------------------------------------------------------

  /** Brings operations up to a number to the medium. Returns whether a fault has struck. */
  commit(unsynced: Unsynced, upTo: number): boolean {
    const asked = unsynced.take(upTo);
    const operations = this.faults.reorder === 0 ? asked : this.reordered(asked);
    let struck = operations !== asked;
    for (const operation of operations) {
      if (isTruncation(operation)) this.bytes.resize(operation.offset);
      else if (this.write(operation, unsynced.bytesOf(operation))) struck = true;
    }
    unsynced.settle();
    return struck;
  }

  /** Lets operations be overtaken by those that followed. */
  private reordered(asked: readonly Operation[]): Operation[] {
    const order: Operation[] = [];
    const held: Operation[] = [];
    const { reorder } = this.faults;
    for (const operation of asked) {
      if (this.strikes(Kind.Overtake, operation.number, reorder)) {
        this.log(`the write to byte ${operation.offset} is overtaken by the next`);
        held.push(operation);
      } else {
        order.push(operation);
        while (held.length > 0) order.push(held.pop()!);
      }
    }
    return [...order, ...held.reverse()];
  }

  /** Returns whether something else has happened than was asked for. */
  private write({ number, offset }: Operation, content: Uint8Array): boolean {
    const { faults, bytes } = this;
    if (this.strikes(Kind.Misdirect, number, faults.misdirectedWrite)) {
      this.misdirect(number, offset, content);
      return true;
    }
    bytes.write(offset, content);
    if (!this.strikes(Kind.Corrupt, number, faults.corruptByte)) return false;
    const place = this.place(PlaceOf.Corruption, number) * content.length;
    const at = offset + Math.floor(place);
    // What is left of the fraction says which bits change: at least one.
    bytes.data[at] ^= 1 + Math.floor((place % 1) * 255);
    this.log(`byte ${at} is corrupt`);
    return true;
  }

  /** The sector it lands in is another one of the disk, or lies beyond its end. */
  private misdirect(number: number, offset: number, content: Uint8Array): void {
    const { bytes } = this;
    const { sectorSize } = this.faults;
    bytes.resize(Math.max(bytes.length, offset + content.length));
    const own = Math.floor(offset / sectorSize);
    const others = Math.ceil(bytes.length / sectorSize);
    let sector = Math.floor(this.place(PlaceOf.Misdirection, number) * others);
    if (sector >= own) sector++;
    const target = sector * sectorSize + (offset % sectorSize);
    const room = Math.max(0, bytes.length - target);
    bytes.data.set(content.subarray(0, room), target < bytes.length ? target : bytes.length);
    this.log(`the write to byte ${offset} went to byte ${target}`);
  }

  // ---- crashes ---------------------------------------------------------------------------------

  /** The power goes: what of the unsynced operations is there, and what not. */
  losePower(unsynced: Unsynced, crash: number): void {
    if (unsynced.operations.length === 0) return;
    const loss = LOSSES[Math.floor(this.place(PlaceOf.Loss, crash) * LOSSES.length)];
    for (const operation of unsynced.operations) {
      if (!isTruncation(operation)) this.keepSectors(operation, unsynced.bytesOf(operation), loss);
      else if (!this.strikes(Kind.Lose, ++this.sectors, loss)) this.bytes.resize(operation.offset);
    }
    unsynced.clear();
  }

  private keepSectors({ offset }: Operation, content: Uint8Array, loss: number): void {
    const { sectorSize, tornWrite } = this.faults;
    const end = offset + content.length;
    for (let from = offset; from < end;) {
      const to = Math.min(end, from - (from % sectorSize) + sectorSize);
      const sector = ++this.sectors;
      if (this.strikes(Kind.Lose, sector, loss)) {
        this.log(`bytes ${from} to ${to} are lost`);
      } else {
        const torn = this.strikes(Kind.Torn, sector, tornWrite);
        const length = torn ? this.tear(sector, to - from) : to - from;
        if (torn) this.log(`of bytes ${from} to ${to} only ${length} were written`);
        this.bytes.write(from, content.subarray(from - offset, from - offset + length));
      }
      from = to;
    }
  }

  /** How much of a torn sector was written: not all of it. */
  private tear(sector: number, length: number): number {
    return Math.floor(this.place(PlaceOf.Tear, sector) * length);
  }

  // ---- choices ---------------------------------------------------------------------------------

  private strikes(kind: Kind, number: number, rate: number): boolean {
    return this.simulation.loop.strikes(kind, this.source, number, rate);
  }

  private place(of: PlaceOf, number: number): number {
    return this.simulation.loop.draw(Kind.Place, this.source, number * PlaceOf.Count + of);
  }

  private log(text: string): void {
    this.simulation.log?.add('fault', `${this.source.name}: ${text}`);
  }
}
