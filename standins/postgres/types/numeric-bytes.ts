/** The binary form of numeric: base-10000 digits behind a weight, a sign and a scale. */

import { Numeric } from './numeric.js';

const NEGATIVE = 0x4000;
const NAN = 0xc000;

export function sendNumeric(value: Numeric): Buffer {
  const text = value.abs().toString();
  const [whole, fraction = ''] = (value.nan ? '0' : text).split('.') as [string, string?];
  const left = whole.padStart(Math.ceil(whole.length / 4) * 4, '0');
  const right = fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0');
  const digits = (left + right).match(/.{4}/g)!.map(Number);
  let weight = left.length / 4 - 1;
  while (digits.length > 0 && digits[0] === 0) {
    digits.shift();
    weight -= 1;
  }
  while (digits.at(-1) === 0) digits.pop();
  const bytes = Buffer.alloc(8 + 2 * digits.length);
  bytes.writeInt16BE(digits.length, 0);
  bytes.writeInt16BE(digits.length === 0 ? 0 : weight, 2);
  bytes.writeUInt16BE(value.nan ? NAN : value.digits < 0n ? NEGATIVE : 0, 4);
  bytes.writeInt16BE(value.scale, 6);
  digits.forEach((digit, i) => bytes.writeInt16BE(digit, 8 + 2 * i));
  return bytes;
}

export function receiveNumeric(bytes: Buffer): Numeric {
  const count = bytes.readInt16BE(0);
  const weight = bytes.readInt16BE(2);
  const sign = bytes.readUInt16BE(4);
  if (sign === NAN) return new Numeric(0n, 0, true);
  const scale = bytes.readInt16BE(6);
  let digits = 0n;
  for (let i = 0; i < count; i += 1)
    digits = digits * 10_000n + BigInt(bytes.readInt16BE(8 + 2 * i));
  const value = Numeric.parse(`${digits}e${4 * (weight - count + 1)}`).round(scale);
  return sign === NEGATIVE ? value.negate() : value;
}
