/**
 * Exact decimal numbers: an integer and how many of its digits stand behind the point. Scales of
 * results, and rounding (half away from zero), are those of PostgreSQL's numeric.c.
 */

import { invalidText, SqlError, unsupported } from '../errors.js';

/** Significant digits that a quotient has at least (NUMERIC_MIN_SIG_DIGITS). */
const SIGNIFICANT = 16;
const MAX_SCALE = 1000;

const pow10 = (n: number): bigint => 10n ** BigInt(n);
const abs = (n: bigint): bigint => (n < 0n ? -n : n);

export class Numeric {
  static readonly zero = new Numeric(0n, 0);

  constructor(
    readonly digits: bigint,
    readonly scale: number,
    readonly nan = false,
  ) {}

  static parse(text: string): Numeric {
    const trimmed = text.trim();
    if (/^nan$/i.test(trimmed)) return new Numeric(0n, 0, true);
    const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(trimmed);
    if (match === null || (match[2] === '' && (match[3] ?? '') === '')) {
      if (/^[+-]?inf(inity)?$/i.test(trimmed)) throw unsupported('infinite numeric');
      throw invalidText('numeric', text);
    }
    const fraction = match[3] ?? '';
    let digits = BigInt(`${match[2]}${fraction}`);
    let scale = fraction.length - Number(match[4] ?? 0);
    if (scale < 0) {
      digits *= pow10(-scale);
      scale = 0;
    }
    return new Numeric(match[1] === '-' ? -digits : digits, scale);
  }

  static from(value: number | bigint): Numeric {
    if (typeof value === 'bigint') return new Numeric(value, 0);
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 53) return new Numeric(BigInt(value), 0);
    if (Number.isNaN(value)) return new Numeric(0n, 0, true);
    // float8 gives up what is beyond 15 digits when it becomes a numeric.
    return Numeric.parse(String(Number(value.toPrecision(15))));
  }

  toString(): string {
    if (this.nan) return 'NaN';
    const sign = this.digits < 0n ? '-' : '';
    const text = abs(this.digits)
      .toString()
      .padStart(this.scale + 1, '0');
    if (this.scale === 0) return sign + text;
    return `${sign}${text.slice(0, -this.scale)}.${text.slice(-this.scale)}`;
  }

  toNumber(): number {
    return Number(this.toString());
  }

  /** Rounded to so many digits behind the point. */
  round(scale: number): Numeric {
    if (this.nan) return this;
    const digits = this.rescaled(scale);
    return scale >= 0 ? new Numeric(digits, scale) : new Numeric(digits * pow10(-scale), 0);
  }

  trunc(scale: number): Numeric {
    if (scale >= this.scale) return this.round(scale);
    const digits = this.digits / pow10(this.scale - scale);
    return scale >= 0 ? new Numeric(digits, scale) : new Numeric(digits * pow10(-scale), 0);
  }

  floor(): Numeric {
    const whole = this.trunc(0);
    return this.digits < 0n && whole.compare(this) !== 0
      ? new Numeric(whole.digits - 1n, 0)
      : whole;
  }

  ceil(): Numeric {
    return this.negate().floor().negate();
  }

  negate(): Numeric {
    return new Numeric(-this.digits, this.scale, this.nan);
  }

  abs(): Numeric {
    return this.digits < 0n ? this.negate() : this;
  }

  add(other: Numeric): Numeric {
    const scale = Math.max(this.scale, other.scale);
    const sum = this.rescaled(scale) + other.rescaled(scale);
    return new Numeric(sum, scale, this.nan || other.nan);
  }

  subtract(other: Numeric): Numeric {
    return this.add(other.negate());
  }

  multiply(other: Numeric): Numeric {
    const product = new Numeric(
      this.digits * other.digits,
      this.scale + other.scale,
      this.nan || other.nan,
    );
    return product.scale > MAX_SCALE ? product.round(MAX_SCALE) : product;
  }

  divide(other: Numeric): Numeric {
    if (this.nan || other.nan) return new Numeric(0n, 0, true);
    if (other.digits === 0n) throw divisionByZero();
    const scale = this.quotientScale(other);
    // One digit more than asked for, and the rest decides nothing else than which way to round.
    const shift = scale + 1 + other.scale - this.scale;
    const numerator = shift >= 0 ? this.digits * pow10(shift) : this.digits;
    const denominator = shift >= 0 ? other.digits : other.digits * pow10(-shift);
    return new Numeric(numerator / denominator, scale + 1).round(scale);
  }

  remainder(other: Numeric): Numeric {
    if (this.nan || other.nan) return new Numeric(0n, 0, true);
    if (other.digits === 0n) throw divisionByZero();
    const scale = Math.max(this.scale, other.scale);
    return new Numeric(this.rescaled(scale) % other.rescaled(scale), scale);
  }

  compare(other: Numeric): number {
    if (this.nan || other.nan) return Number(this.nan) - Number(other.nan);
    const scale = Math.max(this.scale, other.scale);
    const [a, b] = [this.rescaled(scale), other.rescaled(scale)];
    return a < b ? -1 : a > b ? 1 : 0;
  }

  /** Equal numbers have equal keys, whatever their scales. */
  key(): string {
    if (this.nan || this.scale === 0) return this.toString();
    return this.toString()
      .replace(/\.?0+$/, '')
      .replace(/^-0$/, '0');
  }

  /** Base-10000 exponent of the first digit in that base, and that digit. */
  private leading(): { weight: number; digit: bigint } {
    if (this.digits === 0n) return { weight: 0, digit: 0n };
    const exponent = abs(this.digits).toString().length - 1 - this.scale;
    const weight = Math.floor(exponent / 4);
    const shift = this.scale + 4 * weight;
    const magnitude = abs(this.digits);
    const digit = shift >= 0 ? magnitude / pow10(shift) : magnitude * pow10(-shift);
    return { weight, digit };
  }

  private quotientScale(other: Numeric): number {
    const [a, b] = [this.leading(), other.leading()];
    const weight = a.weight - b.weight - (a.digit <= b.digit ? 1 : 0);
    const scale = Math.max(SIGNIFICANT - weight * 4, this.scale, other.scale, 0);
    return Math.min(scale, MAX_SCALE);
  }

  /** The digits that it has at another scale, rounded. */
  private rescaled(scale: number): bigint {
    if (scale >= this.scale) return this.digits * pow10(scale - this.scale);
    const divisor = pow10(this.scale - scale);
    const quotient = this.digits / divisor;
    const rest = abs(this.digits % divisor);
    if (rest * 2n < divisor) return quotient;
    return this.digits < 0n ? quotient - 1n : quotient + 1n;
  }
}

export const divisionByZero = () => new SqlError('22012', 'division by zero');
