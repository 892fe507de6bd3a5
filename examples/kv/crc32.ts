/**
 * CRC-32 as zlib and Ethernet have it. A table beats `zlib.crc32` on records of a few dozen bytes,
 * where the call into native code costs more than the sum.
 */

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/**
 * The checksum of bytes `from` to `to`, as an unsigned integer.
 * @param start the checksum of what precedes them; the result then covers both
 */
export function crc32(bytes: Uint8Array, from: number, to: number, start = 0): number {
  let crc = ~start;
  for (let i = from; i < to; i++) crc = TABLE[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}
