/**
 * How a put is stored: a header of five big-endian 32-bit numbers, the key, the value.
 *
 *     session | sequence | length of key and value | length of key | checksum | key | value
 *
 * The sequence counts records from 1, so that zeros are no record. The checksum covers everything
 * else in the record and continues the checksum of the record before it, as in the log of etcd: a
 * record is valid only behind the very records that it was written behind. The session is a random
 * number drawn whenever the log is opened, as the salt in the log of SQLite: a record that is
 * written again after a crash differs from what was there, even when it says the same.
 */

import { crc32 } from './crc32.js';

export const HEADER = 20;

export interface Header {
  readonly session: number;
  readonly sequence: number;
  /** Bytes of key and value together. */
  readonly length: number;
  readonly keyLength: number;
  readonly checksum: number;
}

/** The record without its checksum. */
export function encode(session: number, sequence: number, key: string, value: string): Buffer {
  const room = Buffer.allocUnsafe(HEADER + 3 * (key.length + value.length));
  const keyEnd = HEADER + write(room, HEADER, key);
  const end = keyEnd + write(room, keyEnd, value);
  writeNumber(room, 0, session);
  writeNumber(room, 4, sequence);
  writeNumber(room, 8, end - HEADER);
  writeNumber(room, 12, keyEnd - HEADER);
  return room.subarray(0, end);
}

export function writeChecksum(record: Uint8Array, checksum: number): void {
  writeNumber(record, 16, checksum);
}

/** Reads the header at `at`, where there are enough bytes for one. */
export function readHeader(log: Uint8Array, at: number): Header {
  return {
    session: readNumber(log, at),
    sequence: readNumber(log, at + 4),
    length: readNumber(log, at + 8),
    keyLength: readNumber(log, at + 12),
    checksum: readNumber(log, at + 16),
  };
}

/** The checksum of the record from `at` to `end`, behind a record with the checksum `previous`. */
export function checksumOf(log: Uint8Array, at: number, end: number, previous: number): number {
  const header = crc32(log, at, at + 16, previous);
  return crc32(log, at + HEADER, end, header);
}

/** Writes UTF-8, and returns how many bytes. ASCII needs no call into native code. */
function write(into: Buffer, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return into.write(text, at);
    into[at + i] = code;
  }
  return text.length;
}

function writeNumber(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
}

function readNumber(from: Uint8Array, at: number): number {
  return ((from[at] << 24) | (from[at + 1] << 16) | (from[at + 2] << 8) | from[at + 3]) >>> 0;
}
