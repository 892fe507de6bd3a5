/** Aggregates. Each gets the argument lists of all rows of a group, in their order. */

import { SqlError } from '../errors.js';
import { formatJson, Jsonb, objectOf } from '../types/json.js';
import { type Interval } from '../types/datetime.js';
import { Numeric } from '../types/numeric.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import type { Run } from '../sql/expr.js';
import { toJsonText, toTree } from './json.js';
import type { ArgumentType, Overload } from './overloads.js';
import { outputText } from './output.js';

const { INT2, INT4, INT8, NUMERIC, FLOAT4, FLOAT8, TEXT } = t;
const registry = new Map<string, Overload[]>();

export const aggregatesOf = (name: string): readonly Overload[] | undefined => registry.get(name);

/** @param apply gets the rows whose first argument is not NULL, or all with `nulls` */
function aggregate(
  name: string,
  args: readonly ArgumentType[],
  result: Overload['result'],
  apply: (rows: any[][], run: Run, types: readonly Type[]) => any,
  nulls = false,
): void {
  const overload: Overload = {
    args,
    result,
    nulls,
    apply: (rows, run, types) =>
      apply(nulls ? rows : rows.filter((row) => row[0] !== null), run, types),
  };
  registry.set(name, [...(registry.get(name) ?? []), overload]);
}

aggregate('count', [], INT8, (rows) => BigInt(rows.length), true);
aggregate('count', ['any'], INT8, (rows) => BigInt(rows.length));

const total = <T>(rows: any[][], add: (sum: T, value: T) => T): T | null =>
  rows.length === 0 ? null : rows.map((row) => row[0] as T).reduce(add);
for (const type of [INT2, INT4]) {
  aggregate('sum', [type], INT8, (rows) => {
    const sum = total<number>(rows, (a, b) => a + b);
    return sum === null ? null : BigInt(sum);
  });
}
const numerics = (rows: any[][]) =>
  rows.map((row) => [row[0] instanceof Numeric ? row[0] : Numeric.from(row[0])]);
const numericSum = (rows: any[][]) => total<Numeric>(numerics(rows), (a, b) => a.add(b));
aggregate('sum', [INT8], NUMERIC, numericSum);
aggregate('sum', [NUMERIC], NUMERIC, numericSum);
for (const type of [FLOAT4, FLOAT8]) {
  aggregate('sum', [type], type, (rows) => total<number>(rows, (a, b) => a + b));
  aggregate('avg', [type], FLOAT8, (rows) =>
    rows.length === 0 ? null : total<number>(rows, (a, b) => a + b)! / rows.length,
  );
}
aggregate('sum', [t.INTERVAL], t.INTERVAL, (rows) => total<Interval>(rows, (a, b) => a.add(b)));
aggregate(
  'avg',
  [t.INTERVAL],
  t.INTERVAL,
  (rows) => total<Interval>(rows, (a, b) => a.add(b))?.times(1 / rows.length) ?? null,
);
for (const type of [INT2, INT4, INT8, NUMERIC]) {
  aggregate('avg', [type], NUMERIC, (rows) =>
    rows.length === 0 ? null : numericSum(rows)!.divide(Numeric.from(rows.length)),
  );
}
for (const name of ['var_samp', 'variance', 'var_pop', 'stddev', 'stddev_samp', 'stddev_pop']) {
  aggregate(name, [FLOAT8], FLOAT8, (rows) => {
    const values = rows.map((row) => row[0] as number);
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const count = name.endsWith('_pop') ? values.length : values.length - 1;
    if (values.length === 0 || count === 0) return null;
    return name.startsWith('std') ? Math.sqrt(squares / count) : squares / count;
  });
}
const bestOf =
  (sign: number) =>
  (rows: any[][], _: Run, [type]: readonly Type[]) =>
    total<any>(rows, (a, b) => (type!.compare(b, a) * sign > 0 ? b : a));
aggregate('min', ['anyelement'], 'anyelement', bestOf(-1));
aggregate('max', ['anyelement'], 'anyelement', bestOf(1));
aggregate('bool_and', [t.BOOL], t.BOOL, (rows) => total<boolean>(rows, (a, b) => a && b));
aggregate('every', [t.BOOL], t.BOOL, (rows) => total<boolean>(rows, (a, b) => a && b));
aggregate('bool_or', [t.BOOL], t.BOOL, (rows) => total<boolean>(rows, (a, b) => a || b));
for (const type of [INT4, INT8]) {
  aggregate('bit_and', [type], type, (rows) => total<any>(rows, (a, b) => a & b));
  aggregate('bit_or', [type], type, (rows) => total<any>(rows, (a, b) => a | b));
}
aggregate('string_agg', [TEXT, TEXT], TEXT, (rows) =>
  rows.length === 0
    ? null
    : rows.map(([text, separator], i) => (i > 0 ? (separator ?? '') : '') + text).join(''),
);
aggregate(
  'array_agg',
  ['anyelement'],
  ([type]) => {
    if (type!.array !== undefined) return type!.array;
    throw new SqlError('42704', `could not find array type for data type ${type!.sqlName}`);
  },
  (rows) => (rows.length === 0 ? null : rows.map((row) => row[0])),
  true,
);
aggregate(
  'jsonb_agg',
  ['anyelement'],
  t.JSONB,
  (rows, run, [type]) =>
    rows.length === 0 ? null : new Jsonb(rows.map((row) => toTree(type!, row[0], run))),
  true,
);
aggregate(
  'json_agg',
  ['anyelement'],
  t.JSON_TYPE,
  (rows, run, [type]) => {
    if (rows.length === 0) return null;
    // Rows stand on lines of their own.
    const separator = type === t.RECORD ? ', \n ' : ', ';
    return `[${rows.map((row) => toJsonText(type!, row[0], run)).join(separator)}]`;
  },
  true,
);
const keyOf = (type: Type, value: any, run: Run) => {
  if (value === null) throw new SqlError('22004', 'field name must not be null');
  return outputText(type, value, run);
};
aggregate(
  'jsonb_object_agg',
  ['any', 'any'],
  t.JSONB,
  (rows, run, [key, value]) =>
    rows.length === 0
      ? null
      : new Jsonb(
          objectOf(rows.map((row) => [keyOf(key!, row[0], run), toTree(value!, row[1], run)])),
        ),
  true,
);
aggregate(
  'json_object_agg',
  ['any', 'any'],
  t.JSON_TYPE,
  (rows, run, [key, value]) =>
    rows.length === 0
      ? null
      : `{ ${rows.map((row) => entryText(key!, value!, row, run)).join(', ')} }`,
  true,
);

function entryText(key: Type, value: Type, row: any[], run: Run): string {
  return `${formatJson(keyOf(key, row[0], run))} : ${toJsonText(value, row[1], run)}`;
}
