/**
 * Logs for the recovery of the store to read: any bytes at all, and valid logs that something has
 * happened to. Made with fast-check, so that a failure shrinks.
 */

import fc from 'fast-check';
import type { StoreOptions, Disk } from '../store.js';
import { KvStore } from '../store.js';

export type Put = readonly [key: string, value: string];

/** Something that happens to the bytes of a log. Places are fractions of its length. */
type Damage =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'set'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'remove' | 'zero'; readonly at: number; readonly length: number }
  | {
      readonly kind: 'copy' | 'insert';
      readonly at: number;
      readonly length: number;
      readonly from: number;
    };

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const length = fc.nat(80);

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.nat(7) }),
  fc.record({
    kind: fc.constant('set' as const),
    at: place,
    // What lengths and sequences are made of, most of all.
    bytes: fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constant(new Uint8Array(4).fill(0xff))),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'zero' as const), at: place, length }),
  fc.record({
    kind: fc.constantFrom('copy' as const, 'insert' as const),
    at: place,
    length,
    from: place,
  }),
);

const text = fc.string({ maxLength: 12, unit: 'grapheme' });

/** The puts of a log, and what happens to it. */
export const damagedLogs = fc.record({
  puts: fc.array(fc.tuple(text, text), { maxLength: 8 }),
  damages: fc.array(damage, { maxLength: 4 }),
});

export const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  // Small numbers are what headers hold.
  fc.array(fc.nat(3), { maxLength: 100 }).map((numbers) => Uint8Array.from(numbers)),
);

/** The log of these puts, after all of that has happened to it. */
export function damagedLog(
  puts: readonly Put[],
  damages: readonly Damage[],
  options: StoreOptions,
): Uint8Array {
  const disk = new PlainDisk();
  const store = new KvStore(disk, options);
  for (const [key, value] of puts) store.put(key, value);
  return damages.reduce(damaged, disk.bytes);
}

function damaged(log: Uint8Array, damage: Damage): Uint8Array {
  const at = Math.floor(damage.at * log.length);
  const result = Uint8Array.from(log);
  switch (damage.kind) {
    case 'flip':
      if (log.length > 0) result[at] ^= 1 << damage.bit;
      return result;
    case 'set':
      result.set(damage.bytes.subarray(0, log.length - at), at);
      return result;
    case 'cut':
      return result.subarray(0, at);
    case 'zero':
      return result.fill(0, at, at + damage.length);
    case 'remove':
      return Buffer.concat([log.subarray(0, at), log.subarray(at + damage.length)]);
    case 'copy':
    case 'insert': {
      const from = Math.floor(damage.from * log.length);
      const piece = log.subarray(from, from + damage.length);
      const rest = log.subarray(damage.kind === 'copy' ? at + piece.length : at);
      return Buffer.concat([log.subarray(0, at), piece, rest]);
    }
  }
}

/** A disk without faults, for one log. */
export class PlainDisk implements Disk {
  constructor(public bytes: Uint8Array = new Uint8Array(0)) {}

  size(): number {
    return this.bytes.length;
  }

  readAt(offset: number, length: number): Uint8Array {
    return this.bytes.slice(offset, offset + length);
  }

  writeAt(offset: number, bytes: Uint8Array): void {
    const size = Math.max(this.bytes.length, offset + bytes.length);
    const grown = new Uint8Array(size);
    grown.set(this.bytes);
    grown.set(bytes, offset);
    this.bytes = grown;
  }

  truncate(size: number): void {
    this.bytes = this.bytes.slice(0, size);
  }

  sync(): void {}
}
