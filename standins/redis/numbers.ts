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

/** A decimal number: digits times ten to the power of -scale. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function decimal(text: string): Decimal {
  const [mantissa, exponent = '0'] = text.toLowerCase().split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`.replace(/^\+/, '').replace(/^(-?)$/, '$10'));
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Digits behind the point that the sum of two decimal numbers keeps, as in Redis. */
const FRACTION_DIGITS = 17;

/**
 * The sum of two numbers in decimal. Redis adds in `long double`, where 0.1 + 0.2 comes out as
 * 0.3; exact decimal arithmetic, cut at the same number of digits, agrees with that.
 */
export function addDecimals(text: string, by: string): string {
  const values = [text, by].map((one) => double(one));
  if (!values.every(Number.isFinite)) {
    return fail('ERR increment would produce NaN or Infinity');
  }
  const [a, b] = [decimal(text), decimal(by)];
  const scale = Math.max(a.scale, b.scale);
  const up = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own);
  let sum = up(a) + up(b);
  let places = scale;
  if (places > FRACTION_DIGITS) {
    sum /= 10n ** BigInt(places - FRACTION_DIGITS);
    places = FRACTION_DIGITS;
  }
  const sign = sum < 0n ? '-' : '';
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
