/** Functions on numbers. Randomness is Math.random's, which a simulation decides. */

import { randomUUID } from 'node:crypto';
import { SqlError, unsupported } from '../errors.js';
import { divisionByZero, Numeric } from '../types/numeric.js';
import * as t from '../types/types.js';
import { fn } from './overloads.js';

const { INT2, INT4, INT8, NUMERIC, FLOAT8 } = t;

for (const type of [INT2, INT4, INT8]) {
  fn('abs', [type], type, (n) => t.fitInteger(type, n < 0 ? -n : n));
  fn('mod', [type, type], type, (a, b) => {
    if (Number(b) === 0) throw divisionByZero();
    return a % b;
  });
}
fn('abs', [NUMERIC], NUMERIC, (n: Numeric) => n.abs());
fn('abs', [FLOAT8], FLOAT8, Math.abs);
fn('mod', [NUMERIC, NUMERIC], NUMERIC, (a: Numeric, b: Numeric) => a.remainder(b));
fn('div', [NUMERIC, NUMERIC], NUMERIC, (a: Numeric, b: Numeric) => {
  if (b.digits === 0n) throw divisionByZero();
  return a.subtract(a.remainder(b)).divide(b).round(0);
});
fn('ceil ceiling', [NUMERIC], NUMERIC, (n: Numeric) => n.ceil());
fn('ceil ceiling', [FLOAT8], FLOAT8, (n) => Math.ceil(n));
fn('floor', [NUMERIC], NUMERIC, (n: Numeric) => n.floor());
fn('floor', [FLOAT8], FLOAT8, (n) => Math.floor(n));
fn('round', [NUMERIC, INT4], NUMERIC, (n: Numeric, scale: number) => n.round(scale));
fn('round', [NUMERIC], NUMERIC, (n: Numeric) => n.round(0));
fn('round', [FLOAT8], FLOAT8, (n: number) => {
  const floor = Math.floor(n);
  return n - floor === 0.5 ? floor + (floor % 2 === 0 ? 0 : 1) : Math.round(n);
});
fn('trunc', [NUMERIC, INT4], NUMERIC, (n: Numeric, scale: number) => n.trunc(scale));
fn('trunc', [NUMERIC], NUMERIC, (n: Numeric) => n.trunc(0));
fn('trunc', [FLOAT8], FLOAT8, Math.trunc);
fn('sign', [NUMERIC], NUMERIC, (n: Numeric) => Numeric.from(n.compare(Numeric.zero)));
fn('sign', [FLOAT8], FLOAT8, Math.sign);
fn('power pow', [FLOAT8, FLOAT8], FLOAT8, (a, b) => a ** b);
fn('sqrt', [FLOAT8], FLOAT8, (n: number) => {
  if (n < 0) throw new SqlError('2201F', 'cannot take square root of a negative number');
  return Math.sqrt(n);
});
const logarithm = (f: (n: number) => number) => (n: number) => {
  if (n === 0) throw new SqlError('2201E', 'cannot take logarithm of zero');
  if (n < 0) throw new SqlError('2201E', 'cannot take logarithm of a negative number');
  return f(n);
};
fn('ln', [FLOAT8], FLOAT8, logarithm(Math.log));
fn('log log10', [FLOAT8], FLOAT8, logarithm(Math.log10));
fn('exp', [FLOAT8], FLOAT8, Math.exp);
for (const name of ['sin', 'cos', 'tan', 'asin', 'acos', 'atan'] as const) {
  fn(name, [FLOAT8], FLOAT8, Math[name]);
}
fn('atan2', [FLOAT8, FLOAT8], FLOAT8, Math.atan2);
fn('pi', [], FLOAT8, () => Math.PI);
fn('degrees', [FLOAT8], FLOAT8, (n) => (n * 180) / Math.PI);
fn('radians', [FLOAT8], FLOAT8, (n) => (n * Math.PI) / 180);
// Of a numeric these are exact to as many digits as asked for, which is a library of its own.
for (const name of ['power', 'pow', 'sqrt', 'ln', 'log', 'exp']) {
  const count = name.startsWith('pow') ? 2 : 1;
  fn(
    name,
    Array.from({ length: count }, () => NUMERIC),
    NUMERIC,
    () => {
      throw unsupported(`${name}(numeric)`);
    },
  );
}
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
fn('gcd', [INT4, INT4], INT4, (a, b) => Number(gcd(BigInt(a), BigInt(b))));
fn('gcd', [INT8, INT8], INT8, gcd);
fn('random', [], FLOAT8, () => Math.random());
fn('gen_random_uuid uuid_generate_v4', [], t.UUID, () => randomUUID());
fn('setseed', [FLOAT8], t.VOID, () => {
  throw unsupported('setseed (the seed of the simulation decides)');
});
fn('width_bucket', [FLOAT8, FLOAT8, FLOAT8, INT4], INT4, (n, low, high, count) =>
  n < low ? 0 : n >= high ? count + 1 : Math.floor(((n - low) / (high - low)) * count) + 1,
);
