/**
 * Numbers as Redis reads and writes them.
 */

import { fail } from './reply.js';

const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;
const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

const NOT_AN_INTEGER = 'ERR value is not an integer or out of range';
const NOT_A_FLOAT = 'ERR value is not a valid float';

/** Whether a number fits in 64 bits with a sign. */
export const fits = (value: bigint): boolean => value >= LEAST && value <= GREATEST;

/** A 64-bit integer, exactly. */
export function bigInteger(text: string, error = NOT_AN_INTEGER): bigint {
  if (INTEGER.test(text)) {
    const value = BigInt(text);
    if (fits(value)) return value;
  }
  return fail(error);
}

/** A 64-bit integer, exact as far as numbers are: for counts, positions and times. */
export function integer(text: string, error = NOT_AN_INTEGER): number {
  if (INTEGER.test(text) && text.length < 16) return Number(text);
  return Number(bigInteger(text, error));
}

/** An integer from 0 on. */
export function naturalNumber(text: string, error: string): number {
  const value = integer(text, error);
  return value >= 0 ? value : fail(error);
}

export function double(text: string, error = NOT_A_FLOAT): number {
  if (!FLOAT.test(text)) return fail(error);
  const word = text.toLowerCase().replace(/^\+/, '');
  if (word.includes('nan')) return fail(error);
  if (word.includes('inf')) return word.startsWith('-') ? -Infinity : Infinity;
  return Number(word);
}

/** The shortest text that reads as the same number, as Redis 7.2 writes it. */
export function formatDouble(value: number): string {
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  if (Object.is(value, -0)) return '-0';
  return String(value);
}

/** A binary number: the mantissa times two to the power of the exponent. */
interface Binary {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** Bits of the mantissa of a `long double`. */
const MANTISSA_BITS = 64;
/** Digits behind the point that Redis prints of one. */
const FRACTION_DIGITS = 17;

const sizeOf = (value: bigint): bigint => (value < 0n ? -value : value);

/** The quotient of two numbers, to the nearest, ties to the even one. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const size = sizeOf(dividend);
  const [whole, rest] = [size / divisor, size % divisor];
  const up = 2n * rest > divisor || (2n * rest === divisor && whole % 2n === 1n);
  const result = whole + (up ? 1n : 0n);
  return dividend < 0n ? -result : result;
}

/** The `long double` that is nearest to a fraction. */
function nearest(dividend: bigint, divisor: bigint): Binary {
  if (dividend === 0n) return { mantissa: 0n, exponent: 0 };
  const bits = (value: bigint): number => value.toString(2).length;
  const exponent = bits(sizeOf(dividend)) - bits(divisor) - MANTISSA_BITS;
  const found = rounded(dividend, divisor, exponent);
  // The quotient has 64 bits or one more.
  return bits(sizeOf(found.mantissa)) > MANTISSA_BITS
    ? rounded(dividend, divisor, exponent + 1)
    : found;
}

function rounded(dividend: bigint, divisor: bigint, exponent: number): Binary {
  const shift = BigInt(Math.abs(exponent));
  const mantissa =
    exponent < 0 ? quotient(dividend << shift, divisor) : quotient(dividend, divisor << shift);
  return { mantissa, exponent };
}

function binary(text: string): Binary {
  const [mantissa, exponent = '0'] = text.toLowerCase().replace(/^\+/, '').split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`.replace(/^-?$/, '0'));
  return scale >= 0
    ? nearest(digits, 10n ** BigInt(scale))
    : nearest(digits * 10n ** BigInt(-scale), 1n);
}

/**
 * The sum of two numbers, as Redis adds and prints them: in `long double` of x86, with 17 digits
 * behind the point at most. So 0.1 + 0.2 is 0.3.
 */
export function addDecimals(text: string, by: string): string {
  const values = [text, by].map((one) => double(one));
  if (!values.every(Number.isFinite)) {
    return fail('ERR increment would produce NaN or Infinity');
  }
  const [a, b] = [binary(text), binary(by)];
  const least = Math.min(a.exponent, b.exponent, 0);
  const scaled = ({ mantissa, exponent }: Binary) => mantissa << BigInt(exponent - least);
  const sum = nearest(scaled(a) + scaled(b), 1n << BigInt(-least));
  const { mantissa, exponent } = sum;
  const scale = 10n ** BigInt(FRACTION_DIGITS);
  const printed =
    exponent < 0
      ? quotient(mantissa * scale, 1n << BigInt(-exponent))
      : (mantissa << BigInt(exponent)) * scale;
  const digits = String(sizeOf(printed)).padStart(FRACTION_DIGITS + 1, '0');
  const whole = digits.slice(0, -FRACTION_DIGITS);
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '');
  return `${printed < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
