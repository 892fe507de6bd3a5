/** Operators: arithmetic, comparison, text, dates, arrays and JSON. */

import { outOfRange, SqlError } from '../errors.js';
import { addInterval, Interval } from '../types/datetime.js';
import {
  changeJson,
  containsJson,
  Jsonb,
  jsonbPart,
  jsonbPath,
  jsonPart,
  jsonText,
  objectOf,
  type JsonTree,
} from '../types/json.js';
import { divisionByZero, Numeric } from '../types/numeric.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { regexOf, likeMatcher } from './patterns.js';
import type { Run } from '../sql/expr.js';
import { outputText } from './output.js';
import { fn } from './overloads.js';

/** Operators are registered under names that no function can have. */
export const operatorName = (symbol: string) => `operator:${symbol}`;

function op(
  symbol: string,
  args: Type[] | ('any' | 'anyelement' | 'anyarray' | Type)[],
  result: any,
  apply: (...args: any[]) => any,
  more = {},
) {
  fn(operatorName(symbol), args, result, apply, more);
}

const COMPARED = [
  t.INT4,
  t.INT2,
  t.INT8,
  t.NUMERIC,
  t.FLOAT8,
  t.FLOAT4,
  t.TEXT,
  t.BPCHAR,
  t.NAME,
  t.CHAR,
  t.BOOL,
  t.DATE,
  t.TIME,
  t.TIMESTAMP,
  t.TIMESTAMPTZ,
  t.INTERVAL,
  t.UUID,
  t.BYTEA,
  t.JSONB,
  t.OID,
  t.RECORD,
];

export const COMPARISONS: Record<string, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

for (const type of COMPARED) {
  for (const [symbol, test] of Object.entries(COMPARISONS)) {
    const compare =
      type === t.INT4 || type === t.INT8
        ? COMPARE_PLAIN(symbol)
        : (a: any, b: any) => test(type.compare(a, b));
    op(symbol, [type, type], t.BOOL, compare);
  }
}
op('=', [t.XID, t.XID], t.BOOL, (a, b) => a === b);
op('=', [t.XID, t.INT4], t.BOOL, (a, b) => a === b);

/** Integers are compared most often, and need no order between them. */
function COMPARE_PLAIN(symbol: string): (a: any, b: any) => boolean {
  if (symbol === '=') return (a, b) => a === b;
  if (symbol === '<>') return (a, b) => a !== b;
  if (symbol === '<') return (a, b) => a < b;
  if (symbol === '<=') return (a, b) => a <= b;
  return symbol === '>' ? (a, b) => a > b : (a, b) => a >= b;
}

// Arithmetic

for (const type of [t.INT2, t.INT4]) {
  op('+', [type, type], type, (a, b) => t.fitInteger(type, a + b));
  op('-', [type, type], type, (a, b) => t.fitInteger(type, a - b));
  op('*', [type, type], type, (a, b) => t.fitInteger(type, a * b));
  op('/', [type, type], type, (a, b) => {
    if (b === 0) throw divisionByZero();
    return t.fitInteger(type, Math.trunc(a / b) + 0);
  });
  op('%', [type, type], type, (a, b) => {
    if (b === 0) throw divisionByZero();
    return (a % b) + 0;
  });
  op('-', [type], type, (a) => t.fitInteger(type, -a + 0));
  op('&', [type, type], type, (a, b) => a & b);
  op('|', [type, type], type, (a, b) => a | b);
  op('#', [type, type], type, (a, b) => a ^ b);
  op('~', [type], type, (a) => ~a);
  op('<<', [type, t.INT4], type, (a, b) => a << b);
  op('>>', [type, t.INT4], type, (a, b) => a >> b);
}
const big = (value: any) => t.fitInteger(t.INT8, value);
op('+', [t.INT8, t.INT8], t.INT8, (a, b) => big(a + b));
op('-', [t.INT8, t.INT8], t.INT8, (a, b) => big(a - b));
op('*', [t.INT8, t.INT8], t.INT8, (a, b) => big(a * b));
op('/', [t.INT8, t.INT8], t.INT8, (a, b) => {
  if (b === 0n) throw divisionByZero();
  return big(a / b);
});
op('%', [t.INT8, t.INT8], t.INT8, (a, b) => {
  if (b === 0n) throw divisionByZero();
  return a % b;
});
op('-', [t.INT8], t.INT8, (a) => big(-a));
op('&', [t.INT8, t.INT8], t.INT8, (a, b) => a & b);
op('|', [t.INT8, t.INT8], t.INT8, (a, b) => a | b);
op('#', [t.INT8, t.INT8], t.INT8, (a, b) => a ^ b);
op('<<', [t.INT8, t.INT4], t.INT8, (a, b) => BigInt.asIntN(64, a << BigInt(b)));
op('>>', [t.INT8, t.INT4], t.INT8, (a, b) => a >> BigInt(b));

op('+', [t.NUMERIC, t.NUMERIC], t.NUMERIC, (a: Numeric, b: Numeric) => a.add(b));
op('-', [t.NUMERIC, t.NUMERIC], t.NUMERIC, (a: Numeric, b: Numeric) => a.subtract(b));
op('*', [t.NUMERIC, t.NUMERIC], t.NUMERIC, (a: Numeric, b: Numeric) => a.multiply(b));
op('/', [t.NUMERIC, t.NUMERIC], t.NUMERIC, (a: Numeric, b: Numeric) => a.divide(b));
op('%', [t.NUMERIC, t.NUMERIC], t.NUMERIC, (a: Numeric, b: Numeric) => a.remainder(b));
op('-', [t.NUMERIC], t.NUMERIC, (a: Numeric) => a.negate());

for (const type of [t.FLOAT8, t.FLOAT4]) {
  const fit = (value: number, ...from: number[]) => {
    const result = type === t.FLOAT4 ? Math.fround(value) : value;
    if (!Number.isFinite(result) && from.every(Number.isFinite)) throw outOfRange('value');
    return result;
  };
  op('+', [type, type], type, (a, b) => fit(a + b, a, b));
  op('-', [type, type], type, (a, b) => fit(a - b, a, b));
  op('*', [type, type], type, (a, b) => fit(a * b, a, b));
  op('/', [type, type], type, (a, b) => {
    if (b === 0) throw divisionByZero();
    return fit(a / b, a, b);
  });
  op('-', [type], type, (a) => -a);
}
op('^', [t.FLOAT8, t.FLOAT8], t.FLOAT8, (a, b) => a ** b);
for (const type of [t.INT2, t.INT4, t.INT8, t.NUMERIC, t.FLOAT8, t.FLOAT4]) {
  op('+', [type], type, (a) => a);
  op('@', [type], type, (a) => (a instanceof Numeric ? a.abs() : a < 0 ? -a : a));
}

// Text

op('||', [t.TEXT, t.TEXT], t.TEXT, (a, b) => a + b);
op('||', [t.TEXT, 'any'], t.TEXT, undefined as never, {
  apply: ([a, b]: any[], run: Run, types: Type[]) => a + outputText(types[1]!, b, run),
});
op('||', ['any', t.TEXT], t.TEXT, undefined as never, {
  apply: ([a, b]: any[], run: Run, types: Type[]) => outputText(types[0]!, a, run) + b,
});
op('||', [t.BYTEA, t.BYTEA], t.BYTEA, (a, b) => Buffer.concat([a, b]));
for (const [symbol, insensitive, negated] of [
  ['~~', false, false],
  ['!~~', false, true],
  ['~~*', true, false],
  ['!~~*', true, true],
] as const) {
  op(symbol, [t.TEXT, t.TEXT], t.BOOL, (a, b) => likeMatcher(b, insensitive)(a) !== negated);
}
for (const [symbol, flags, negated] of [
  ['~', '', false],
  ['!~', '', true],
  ['~*', 'i', false],
  ['!~*', 'i', true],
] as const) {
  op(symbol, [t.TEXT, t.TEXT], t.BOOL, (a, b) => regexOf(b, flags).test(a) !== negated);
}
op('^@', [t.TEXT, t.TEXT], t.BOOL, (a: string, b: string) => a.startsWith(b));

// Dates and times

for (const type of [t.TIMESTAMPTZ, t.TIMESTAMP]) {
  op('+', [type, t.INTERVAL], type, (a, b) => addInterval(a, b));
  op('+', [t.INTERVAL, type], type, (a, b) => addInterval(b, a));
  op('-', [type, t.INTERVAL], type, (a, b) => addInterval(a, b, -1));
  op('-', [type, type], t.INTERVAL, (a, b) => {
    const days = Math.trunc((a - b) / t.DAY);
    return new Interval(0, days, a - b - days * t.DAY);
  });
}
op('+', [t.DATE, t.INTERVAL], t.TIMESTAMP, (a, b) => addInterval(a * t.DAY, b));
op('-', [t.DATE, t.INTERVAL], t.TIMESTAMP, (a, b) => addInterval(a * t.DAY, b, -1));
op('+', [t.DATE, t.INT4], t.DATE, (a, b) => a + b);
op('+', [t.INT4, t.DATE], t.DATE, (a, b) => a + b);
op('-', [t.DATE, t.INT4], t.DATE, (a, b) => a - b);
op('-', [t.DATE, t.DATE], t.INT4, (a, b) => a - b);
op('+', [t.DATE, t.TIME], t.TIMESTAMP, (a, b) => a * t.DAY + b);
op('+', [t.TIME, t.INTERVAL], t.TIME, (a, b) => (((a + b.micros) % t.DAY) + t.DAY) % t.DAY);
op('-', [t.TIME, t.INTERVAL], t.TIME, (a, b) => (((a - b.micros) % t.DAY) + t.DAY) % t.DAY);
op('-', [t.TIME, t.TIME], t.INTERVAL, (a, b) => new Interval(0, 0, a - b));
op('+', [t.INTERVAL, t.INTERVAL], t.INTERVAL, (a: Interval, b: Interval) => a.add(b));
op('-', [t.INTERVAL, t.INTERVAL], t.INTERVAL, (a: Interval, b: Interval) => a.add(b, -1));
op('*', [t.INTERVAL, t.FLOAT8], t.INTERVAL, (a: Interval, b) => a.times(b));
op('*', [t.FLOAT8, t.INTERVAL], t.INTERVAL, (a, b: Interval) => b.times(a));
op('/', [t.INTERVAL, t.FLOAT8], t.INTERVAL, (a: Interval, b) => {
  if (b === 0) throw divisionByZero();
  return a.times(1 / b);
});
op('-', [t.INTERVAL], t.INTERVAL, (a: Interval) => a.times(-1));

// Arrays

const keysOf = (types: readonly Type[], list: any[]) =>
  new Set(
    list
      .flat(Infinity)
      .filter((item) => item !== null)
      .map((item) => types[0]!.element!.key(item)),
  );
const contains = (types: readonly Type[], a: any[], b: any[]) => {
  const keys = keysOf(types, a);
  return !b.flat(Infinity).includes(null) && [...keysOf(types, b)].every((key) => keys.has(key));
};
const arrays = ['anyarray', 'anyarray'] as ['anyarray', 'anyarray'];
op('@>', arrays, t.BOOL, undefined as never, {
  apply: ([a, b]: any[], _: unknown, types: Type[]) => contains(types, a, b),
});
op('<@', arrays, t.BOOL, undefined as never, {
  apply: ([a, b]: any[], _: unknown, types: Type[]) => contains(types, b, a),
});
op('&&', arrays, t.BOOL, undefined as never, {
  apply([a, b]: any[], _: unknown, types: Type[]) {
    const keys = keysOf(types, a);
    return [...keysOf(types, b)].some((key) => keys.has(key));
  },
});
op('||', arrays, 'anyarray', (a, b) => (a === null ? b : b === null ? a : [...a, ...b]), {
  nulls: true,
});
op('||', ['anyarray', 'anyelement'], 'anyarray', (a, b) => [...(a ?? []), b], { nulls: true });
op('||', ['anyelement', 'anyarray'], 'anyarray', (a, b) => [a, ...(b ?? [])], { nulls: true });

// JSON

const boxed = (tree: JsonTree | undefined) => (tree === undefined ? null : new Jsonb(tree));
/** An index is an integer, or the text of one where there is an array. */
op('->', [t.JSONB, t.TEXT], t.JSONB, (a: Jsonb, b) => boxed(jsonbPart(a.tree, b)));
op('->', [t.JSONB, t.INT4], t.JSONB, (a: Jsonb, b) => boxed(jsonbPart(a.tree, b)));
op('->>', [t.JSONB, t.TEXT], t.TEXT, (a: Jsonb, b) => jsonText(jsonbPart(a.tree, b)));
op('->>', [t.JSONB, t.INT4], t.TEXT, (a: Jsonb, b) => jsonText(jsonbPart(a.tree, b)));
op('#>', [t.JSONB, t.TEXT.array!], t.JSONB, (a: Jsonb, b) => boxed(jsonbPath(a.tree, b)));
op('#>>', [t.JSONB, t.TEXT.array!], t.TEXT, (a: Jsonb, b) => jsonText(jsonbPath(a.tree, b)));
const unquoted = (text: string | null) =>
  text === null ? null : jsonText(t.JSONB.parse(text).tree);
const jsonAt = (text: string, path: string[]) =>
  path.reduce<string | null>((at, key) => {
    if (at === null) return null;
    const isArray = at.trimStart().startsWith('[');
    return jsonPart(at, isArray && /^-?\d+$/.test(key) ? Number(key) : key);
  }, text);
op('->', [t.JSON_TYPE, t.TEXT], t.JSON_TYPE, (a, b) => jsonPart(a, b));
op('->', [t.JSON_TYPE, t.INT4], t.JSON_TYPE, (a, b) => jsonPart(a, b));
op('->>', [t.JSON_TYPE, t.TEXT], t.TEXT, (a, b) => unquoted(jsonPart(a, b)));
op('->>', [t.JSON_TYPE, t.INT4], t.TEXT, (a, b) => unquoted(jsonPart(a, b)));
op('#>', [t.JSON_TYPE, t.TEXT.array!], t.JSON_TYPE, jsonAt);
op('#>>', [t.JSON_TYPE, t.TEXT.array!], t.TEXT, (a, b) => unquoted(jsonAt(a, b)));
op('@>', [t.JSONB, t.JSONB], t.BOOL, (a: Jsonb, b: Jsonb) => containsJson(a.tree, b.tree));
op('<@', [t.JSONB, t.JSONB], t.BOOL, (a: Jsonb, b: Jsonb) => containsJson(b.tree, a.tree));
const hasKey = ({ tree }: Jsonb, key: string) =>
  tree instanceof Map ? tree.has(key) : Array.isArray(tree) ? tree.includes(key) : tree === key;
op('?', [t.JSONB, t.TEXT], t.BOOL, hasKey);
op('?|', [t.JSONB, t.TEXT.array!], t.BOOL, (a, b: string[]) => b.some((key) => hasKey(a, key)));
op('?&', [t.JSONB, t.TEXT.array!], t.BOOL, (a, b: string[]) => b.every((key) => hasKey(a, key)));
op('||', [t.JSONB, t.JSONB], t.JSONB, ({ tree: a }: Jsonb, { tree: b }: Jsonb) => {
  if (a instanceof Map && b instanceof Map) return new Jsonb(objectOf([...a, ...b]));
  const list = (tree: JsonTree) => (Array.isArray(tree) ? tree : [tree]);
  return new Jsonb([...list(a), ...list(b)]);
});
function without({ tree }: Jsonb, keys: readonly string[]): Jsonb {
  if (tree instanceof Map)
    return new Jsonb(objectOf([...tree].filter(([key]) => !keys.includes(key))));
  if (!Array.isArray(tree)) throw new SqlError('22023', 'cannot delete from scalar');
  return new Jsonb(tree.filter((item) => typeof item !== 'string' || !keys.includes(item)));
}
op('-', [t.JSONB, t.TEXT], t.JSONB, (a, b) => without(a, [b]));
op('-', [t.JSONB, t.TEXT.array!], t.JSONB, (a, b) => without(a, b));
op('-', [t.JSONB, t.INT4], t.JSONB, ({ tree }: Jsonb, at: number) => {
  if (!Array.isArray(tree))
    throw new SqlError('22023', 'cannot delete from object using integer index');
  return new Jsonb(tree.filter((_, i) => i !== (at < 0 ? tree.length + at : at)));
});
op(
  '#-',
  [t.JSONB, t.TEXT.array!],
  t.JSONB,
  (a: Jsonb, b) => new Jsonb(changeJson(a.tree, b, () => undefined)),
);
