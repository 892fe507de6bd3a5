/** Functions on arrays, and those that make rows. */

import { SqlError } from '../errors.js';
import { addInterval, type Interval } from '../types/datetime.js';
import { Numeric } from '../types/numeric.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { fn, runFn } from './overloads.js';

const { INT4, INT8, NUMERIC, TIMESTAMP, TIMESTAMPTZ, INTERVAL, TEXT } = t;

const length = (list: any, dimension: number): number | null => {
  let at = list;
  for (let i = 1; i < dimension; i += 1) at = Array.isArray(at?.[0]) ? at[0] : undefined;
  return Array.isArray(at) && at.length > 0 ? at.length : null;
};
fn('array_length array_upper', ['anyarray', INT4], INT4, length);
fn('array_lower', ['anyarray', INT4], INT4, (list, n) => (length(list, n) === null ? null : 1));
fn('array_ndims', ['anyarray'], INT4, (list: any[]) =>
  list.length === 0 ? null : Array.isArray(list[0]) ? 2 : 1,
);
fn('cardinality', ['anyarray'], INT4, (list: any[]) => list.flat(Infinity).length);
const nulls = { nulls: true } as const;
fn(
  'array_append',
  ['anyarray', 'anyelement'],
  'anyarray',
  (list, item) => [...(list ?? []), item],
  nulls,
);
fn(
  'array_prepend',
  ['anyelement', 'anyarray'],
  'anyarray',
  (item, list) => [item, ...(list ?? [])],
  nulls,
);
fn(
  'array_cat',
  ['anyarray', 'anyarray'],
  'anyarray',
  (a, b) => (a === null ? b : [...a, ...(b ?? [])]),
  nulls,
);
const same = (type: Type, a: any, b: any) =>
  a === null || b === null ? a === b : type.key(a) === type.key(b);
runFn(
  'array_remove',
  ['anyarray', 'anyelement'],
  'anyarray',
  ([list, item], _, [type]) =>
    list === null ? null : list.filter((own: any) => !same(type!.element!, own, item)),
  nulls,
);
runFn(
  'array_replace',
  ['anyarray', 'anyelement', 'anyelement'],
  'anyarray',
  ([list, from, to], _, [type]) =>
    list === null ? null : list.map((own: any) => (same(type!.element!, own, from) ? to : own)),
  nulls,
);
runFn(
  'array_position',
  ['anyarray', 'anyelement'],
  INT4,
  ([list, item], _, [type]) => {
    const at = (list ?? []).findIndex((own: any) => same(type!.element!, own, item));
    return at < 0 ? null : at + 1;
  },
  nulls,
);
runFn(
  'array_positions',
  ['anyarray', 'anyelement'],
  INT4.array!,
  ([list, item], _, [type]) =>
    (list ?? []).flatMap((own: any, i: number) => (same(type!.element!, own, item) ? [i + 1] : [])),
  nulls,
);
fn('unnest', ['anyarray'], 'anyelement', (list: any[]) => list.flat(Infinity), { set: true });
fn(
  'generate_subscripts',
  ['anyarray', INT4],
  INT4,
  (list, n) => Array.from({ length: length(list, n) ?? 0 }, (_, i) => i + 1),
  { set: true },
);
fn('num_nulls', ['any'], INT4, (...args) => args.filter((arg) => arg === null).length, {
  variadic: true,
  nulls: true,
});
fn('num_nonnulls', ['any'], INT4, (...args) => args.filter((arg) => arg !== null).length, {
  variadic: true,
  nulls: true,
});

function series<T>(
  from: T,
  to: T,
  add: (value: T) => T,
  order: (a: T, b: T) => number,
  sign: number,
): T[] {
  if (sign === 0) throw new SqlError('22023', 'step size cannot equal zero');
  const rows: T[] = [];
  for (let at = from; order(at, to) * sign <= 0; at = add(at)) rows.push(at);
  return rows;
}
const set = { set: true } as const;
const cmp = (a: any, b: any) => (a < b ? -1 : a > b ? 1 : 0);
fn(
  'generate_series',
  [INT4, INT4, INT4],
  INT4,
  (a, b, step = 1) => series<number>(a, b, (n) => n + step, cmp, Math.sign(step)),
  { ...set, minimum: 2 },
);
fn(
  'generate_series',
  [INT8, INT8, INT8],
  INT8,
  (a, b, step = 1n) => series<bigint>(a, b, (n) => n + step, cmp, cmp(step, 0n)),
  { ...set, minimum: 2 },
);
fn(
  'generate_series',
  [NUMERIC, NUMERIC, NUMERIC],
  NUMERIC,
  (a, b, step = Numeric.from(1)) =>
    series<Numeric>(
      a,
      b,
      (n) => n.add(step),
      (x, y) => x.compare(y),
      step.compare(Numeric.zero),
    ),
  { ...set, minimum: 2 },
);
for (const type of [TIMESTAMP, TIMESTAMPTZ]) {
  fn(
    'generate_series',
    [type, type, INTERVAL],
    type,
    (a, b, step: Interval) =>
      series<number>(a, b, (n) => addInterval(n, step), cmp, Math.sign(step.span())),
    set,
  );
}
fn(
  'array_fill',
  ['anyelement', INT4.array!],
  (types) => types[0]!.array!,
  (value, sizes: number[]) => {
    const make = (depth: number): any =>
      depth === sizes.length ? value : Array.from({ length: sizes[depth]! }, () => make(depth + 1));
    return make(0);
  },
  nulls,
);
fn('array_dims', ['anyarray'], TEXT, (list: any[]) => {
  let [text, at] = ['', list as any];
  for (; Array.isArray(at) && at.length > 0; at = at[0]) text += `[1:${at.length}]`;
  return text === '' ? null : text;
});
