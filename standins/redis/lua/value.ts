/**
 * Values of Lua 5.1, and what they look like as text.
 *
 * Strings are JavaScript strings of one code unit per byte, numbers are numbers: what Lua 5.1 has
 * are doubles too. nil is undefined. A function takes its arguments and returns all its results.
 */

import type { LuaTable } from './table.js';

export type LuaFunction = (...values: LuaValue[]) => readonly LuaValue[];

/** A value of the host that a script can only pass on: cjson.null. */
export class Opaque {
  constructor(readonly name: string) {}
}

export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction | Opaque;

/** What `error` throws, and what goes wrong while a script runs. */
export class LuaError {
  constructor(readonly value: LuaValue) {}
}

export const truthy = (value: LuaValue): boolean => value !== undefined && value !== false;

export function typeOf(value: LuaValue): string {
  if (value === undefined) return 'nil';
  if (value instanceof Opaque) return 'userdata';
  return typeof value === 'object' ? 'table' : typeof value;
}

/** A number with so many digits at most, as %.14g of C prints it. */
export function formatGeneral(value: number, digits = 14, keepZeros = false): string {
  if (Number.isNaN(value)) return Object.is(value, -NaN) ? '-nan' : 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const precision = digits === 0 ? 1 : digits;
  const scientific = value.toExponential(precision - 1);
  const [mantissa, exponentText] = scientific.split('e');
  const exponent = Number(exponentText);
  const trim = (text: string) =>
    keepZeros || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
  if (exponent < -4 || exponent >= precision) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${trim(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return trim(value.toFixed(Math.min(100, Math.max(0, precision - 1 - exponent))));
}

const NUMERAL = /^\s*([+-]?)(?:0x([0-9a-f]+)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))\s*$/i;

/** The number that a text means, or undefined. */
export function numberOf(text: string): number | undefined {
  const [, sign, hex, decimal] = NUMERAL.exec(text) ?? [];
  if (hex === undefined && decimal === undefined) return undefined;
  const size = hex === undefined ? Number(decimal) : parseInt(hex, 16);
  return sign === '-' ? -size : size;
}

/** A number or a text that means one. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? numberOf(value) : undefined;
}

/** The text of a string or number, or undefined. */
export function toText(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return undefined;
  return Number.isSafeInteger(value) && Math.abs(value) < 1e14 && !Object.is(value, -0)
    ? String(value)
    : formatGeneral(value);
}
