/**
 * What was written to a disk and not synced, in order.
 */

import { Bytes } from './bytes.js';

/** A write, or a change of size: then `length` is -1 and `offset` the size. */
export interface Operation {
  /** Counts from 1 in the life of the disk. */
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  /** Where its bytes are, counted over all writes. */
  readonly start: number;
}

export function isTruncation(operation: Operation): boolean {
  return operation.length < 0;
}

export class Unsynced {
  /** In the order in which they were asked for. */
  operations: Operation[] = [];
  /** The number of the last operation. */
  last = 0;
  private readonly content = new Bytes(0);
  /** How many bytes have been forgotten from the beginning of `content`. */
  private forgotten = 0;

  write(offset: number, bytes: Uint8Array): void {
    const start = this.forgotten + this.content.length;
    this.content.write(this.content.length, bytes);
    this.operations.push({ number: ++this.last, offset, length: bytes.length, start });
  }

  truncate(size: number): void {
    this.operations.push({ number: ++this.last, offset: size, length: -1, start: 0 });
  }

  /** The bytes of a write. */
  bytesOf({ start, length }: Operation): Uint8Array {
    const from = start - this.forgotten;
    return this.content.view(from, from + length);
  }

  /** Takes out the operations up to a number. The bytes they have stay there for now. */
  take(upTo: number): Operation[] {
    const { operations } = this;
    let count = 0;
    while (count < operations.length && operations[count].number <= upTo) count++;
    this.operations = operations.slice(count);
    return operations.slice(0, count);
  }

  /** Forgets the bytes of what was taken, once they are most of what there is. */
  settle(): void {
    const { content, operations } = this;
    const kept = operations.find((operation) => !isTruncation(operation));
    const unneeded = kept === undefined ? content.length : kept.start - this.forgotten;
    if (2 * unneeded < content.length) return;
    content.data.copyWithin(0, unneeded, content.length);
    content.resize(content.length - unneeded);
    this.forgotten += unneeded;
  }

  clear(): void {
    this.operations = [];
    this.settle();
  }

  /** Does what is in it to `bytes`. */
  replay(bytes: Bytes): void {
    for (const operation of this.operations) {
      if (isTruncation(operation)) bytes.resize(operation.offset);
      else bytes.write(operation.offset, this.bytesOf(operation));
    }
  }
}
