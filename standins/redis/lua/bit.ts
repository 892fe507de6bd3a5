/**
 * The library `bit`: operations on 32 bits.
 */

import type { Arguments, Library } from './arguments.js';

/** A number modulo 2^32, as an integer with a sign. */
function bits(args: Arguments, i: number): number {
  const value = args.number(i);
  return Number.isFinite(value) ? Number(BigInt.asIntN(32, BigInt(Math.round(value)))) : 0;
}

const fold =
  (combine: (a: number, b: number) => number): Library[string] =>
  (args) =>
    args.values.map((_, i) => bits(args, i)).reduce(combine, bits(args, 0));

const shift =
  (move: (value: number, by: number) => number): Library[string] =>
  (args) =>
    move(bits(args, 0), bits(args, 1) & 31) | 0;

export const bitLibrary: Library = {
  tobit: (args) => bits(args, 0),
  bnot: (args) => ~bits(args, 0),
  band: fold((a, b) => a & b),
  bor: fold((a, b) => a | b),
  bxor: (args) => args.values.map((_, i) => bits(args, i)).reduce((a, b) => a ^ b),
  lshift: shift((value, by) => value << by),
  rshift: shift((value, by) => value >>> by),
  arshift: shift((value, by) => value >> by),
  rol: shift((value, by) => (value << by) | (value >>> (32 - by))),
  ror: shift((value, by) => (value >>> by) | (value << (32 - by))),
  bswap: (args) => {
    const value = bits(args, 0);
    return (
      ((value & 0xff) << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)
    );
  },
  tohex: (args) => {
    const digits = args.integer(1, 8);
    const text = (bits(args, 0) >>> 0)
      .toString(16)
      .padStart(8, '0')
      .slice(-Math.abs(digits) || 8);
    return digits < 0 ? text.toUpperCase() : text;
  },
};
