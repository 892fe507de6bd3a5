/** Casts between types, and which of them happen by themselves. */

import { SqlError, outOfRange, unsupported } from '../errors.js';
import { Interval } from '../types/datetime.js';
import { type Jsonb, formatJson, parseJsonb } from '../types/json.js';
import { Numeric } from '../types/numeric.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import type { Expr, Frame, Parameters, Run } from './expr.js';

type Context = 'implicit' | 'assignment' | 'explicit';
const RANK: Record<Context, number> = { implicit: 0, assignment: 1, explicit: 2 };

interface Cast {
  readonly context: Context;
  readonly apply: (value: any, run: Run) => any;
}

const TOWER = [t.INT2, t.INT4, t.INT8, t.NUMERIC, t.FLOAT4, t.FLOAT8];
const STRINGS = [t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CHAR];
const OIDS = [t.OID, t.REGCLASS, t.REGTYPE, t.REGPROC, t.REGNAMESPACE];

/** Half to even, as rint() does. */
function rint(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function toNumber(type: Type, value: any): any {
  if (type === t.NUMERIC) return value instanceof Numeric ? value : Numeric.from(value);
  if (type === t.FLOAT8) return value instanceof Numeric ? value.toNumber() : Number(value);
  if (type === t.FLOAT4)
    return Math.fround(value instanceof Numeric ? value.toNumber() : Number(value));
  if (value instanceof Numeric) {
    if (value.nan) throw new SqlError('0A000', `cannot convert NaN to ${type.sqlName}`);
    return t.fitInteger(type, value.round(0).digits);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw outOfRange(type.sqlName);
  return t.fitInteger(type, typeof value === 'number' ? rint(value) : value);
}

const casts = new Map<Type, Map<Type, Cast>>();

function define(
  from: Type,
  to: Type,
  context: Context,
  apply: Cast['apply'] = (value) => value,
): void {
  if (!casts.has(from)) casts.set(from, new Map());
  casts.get(from)!.set(to, { context, apply });
}

TOWER.forEach((from, i) =>
  TOWER.forEach((to, j) => {
    if (i !== j)
      define(from, to, i < j ? 'implicit' : 'assignment', (value) => toNumber(to, value));
  }),
);
for (const from of STRINGS) {
  for (const to of STRINGS) {
    const strip = from === t.BPCHAR && to !== t.BPCHAR;
    if (from === to) continue;
    define(from, to, to === t.CHAR ? 'assignment' : 'implicit', (value) =>
      strip ? value.replace(/ +$/, '') : to.parse(value),
    );
  }
}
for (const from of [t.INT2, t.INT4, t.INT8]) {
  for (const to of OIDS) define(from, to, 'implicit', Number);
  for (const to of [t.OID]) define(to, from, 'assignment', (value) => t.fitInteger(from, value));
}
for (const to of OIDS.slice(1)) {
  define(t.OID, to, 'implicit');
  define(to, t.OID, 'implicit');
  define(to, t.INT4, 'assignment');
  define(to, t.INT8, 'assignment', BigInt);
}
define(t.INT4, t.BOOL, 'explicit', (value) => value !== 0);
define(t.BOOL, t.INT4, 'explicit', Number);
define(t.DATE, t.TIMESTAMP, 'implicit', (value) => value * t.DAY);
define(t.DATE, t.TIMESTAMPTZ, 'implicit', (value) => value * t.DAY);
define(t.TIMESTAMP, t.TIMESTAMPTZ, 'implicit');
define(t.TIMESTAMPTZ, t.TIMESTAMP, 'assignment');
for (const from of [t.TIMESTAMP, t.TIMESTAMPTZ]) {
  define(from, t.DATE, 'assignment', (value) =>
    Number.isFinite(value) ? Math.floor(value / t.DAY) : value,
  );
  define(from, t.TIME, 'assignment', (value) => value - Math.floor(value / t.DAY) * t.DAY);
}
define(t.TIME, t.INTERVAL, 'implicit', (value) => new Interval(0, 0, value));
define(
  t.INTERVAL,
  t.TIME,
  'assignment',
  (value: Interval) => ((value.micros % t.DAY) + t.DAY) % t.DAY,
);
define(t.JSON_TYPE, t.JSONB, 'assignment', (value) => parseJsonb(value));
define(t.JSONB, t.JSON_TYPE, 'assignment', (value: Jsonb) => formatJson(value.tree));
for (const to of TOWER) {
  define(t.JSONB, to, 'explicit', ({ tree }: Jsonb) => {
    if (tree instanceof Numeric) return toNumber(to, tree);
    throw new SqlError('22023', `cannot cast jsonb ${kind(tree)} to type ${to.sqlName}`);
  });
}
define(t.JSONB, t.BOOL, 'explicit', ({ tree }: Jsonb) => {
  if (typeof tree === 'boolean') return tree;
  throw new SqlError('22023', `cannot cast jsonb ${kind(tree)} to type boolean`);
});

function kind(tree: unknown): string {
  if (tree === null) return 'null';
  if (tree instanceof Map) return 'object';
  if (Array.isArray(tree)) return 'array';
  return tree instanceof Numeric ? 'numeric' : typeof tree;
}

/** The name that a regclass has, and the like. */
export function formatReg(type: Type, value: number, run: Run): string {
  return run.session.nameOfReg(type, value) ?? String(value);
}

function castFrom(from: Type, to: Type): Cast | undefined {
  if (from === to) return { context: 'implicit', apply: (value) => value };
  const known = casts.get(from)?.get(to);
  if (known !== undefined) return known;
  if (from.element !== undefined && to.element !== undefined) {
    const element = castFrom(from.element, to.element);
    if (element === undefined) return undefined;
    const each = (value: any, run: Run): any =>
      value === null
        ? null
        : Array.isArray(value)
          ? value.map((v) => each(v, run))
          : element.apply(value, run);
    return { context: element.context, apply: each };
  }
  if (to.category === 'S') {
    if (OIDS.slice(1).includes(from)) {
      return { context: 'assignment', apply: (value, run) => formatReg(from, value, run) };
    }
    // A boolean as text is spelled out.
    if (from === t.BOOL) return { context: 'assignment', apply: String };
    if (from.category === 'P' && from !== t.RECORD) return undefined;
    return { context: 'assignment', apply: (value) => to.parse(from.format(value)) };
  }
  if (from.category === 'S' && to.category !== 'P') {
    const context = to === t.REGCLASS ? 'implicit' : 'explicit';
    return { context, apply: (value, run) => parseAs(to, value, run) };
  }
  return undefined;
}

/** Text as a value of a type; names of relations and types are looked up. */
export function parseAs(type: Type, text: string, run: Run): any {
  if (OIDS.includes(type) && !/^\s*\d+\s*$/.test(text)) return run.session.regNamed(type, text);
  if (type === t.TIMESTAMP || type === t.TIMESTAMPTZ || type === t.DATE) {
    const word = text.trim().toLowerCase();
    const started = run.transaction.started;
    const day = Math.floor(started / t.DAY);
    const days = { today: day, tomorrow: day + 1, yesterday: day - 1 }[word];
    if (days !== undefined) return type === t.DATE ? days : days * t.DAY;
    if (word === 'now') return type === t.DATE ? day : started;
  }
  return type.parse(text);
}

export function canCast(from: Type, to: Type, context: Context): boolean {
  if (from === t.UNKNOWN) return true;
  const cast = castFrom(from, to);
  return cast !== undefined && RANK[cast.context] <= RANK[context];
}

export function typmodFits(a: readonly number[] = [], b: readonly number[] = []): boolean {
  return b.length === 0 || (a.length === b.length && a.every((n, i) => n === b[i]));
}

/** The expression as a value of another type, or undefined when no cast of this context does it. */
export function coerce(
  expr: Expr,
  type: Type,
  context: Context,
  parameters: Parameters,
  typmod: readonly number[] = [],
): Expr | undefined {
  const fitted = coerceType(expr, type, context, parameters);
  if (fitted === undefined || typmodFits(fitted === expr ? expr.typmod : undefined, typmod)) {
    return fitted;
  }
  const explicit = context === 'explicit';
  return {
    type,
    typmod,
    ev: (frame) => t.applyTypmod(type, typmod, fitted.ev(frame), explicit),
  };
}

function coerceType(
  expr: Expr,
  type: Type,
  context: Context,
  parameters: Parameters,
): Expr | undefined {
  if (expr.type === type) return expr;
  if (expr.param !== undefined) {
    const { param } = expr;
    parameters.resolve(param, type);
    return { type, ev: (frame) => frame.run.params[param - 1] };
  }
  if (expr.literal !== undefined) return literalOf(expr.literal, type);
  // The values are the same, so it stays the column that it is.
  if (expr.type === t.VARCHAR && type === t.TEXT) return { ...expr, type, typmod: [] };
  const cast = castFrom(expr.type === t.UNKNOWN ? t.TEXT : expr.type, type);
  const allowed: Context = expr.type === t.UNKNOWN ? 'explicit' : context;
  if (cast === undefined || RANK[cast.context] > RANK[allowed]) return undefined;
  const ev = (frame: Frame) => {
    const value = expr.ev(frame);
    return value === null ? null : cast.apply(value, frame.run);
  };
  if (expr.isSet) {
    const each = (frame: Frame) =>
      (expr.ev(frame) as any[]).map((value) =>
        value === null ? null : cast.apply(value, frame.run),
      );
    return { type, isSet: true, ev: each };
  }
  return { type, ev };
}

function literalOf(text: string | null, type: Type): Expr {
  if (text === null) return { type, ev: () => null };
  if (OIDS.includes(type) || [t.TIMESTAMP, t.TIMESTAMPTZ, t.DATE].includes(type)) {
    return { type, ev: (frame) => parseAs(type, text, frame.run) };
  }
  if (type === t.RECORD) throw unsupported('a literal of a row type');
  const value = type.parse(text);
  return { type, ev: () => value };
}

export function cannotCast(from: Type, to: Type, position?: number): SqlError {
  return new SqlError('42846', `cannot cast type ${from.sqlName} to ${to.sqlName}`, { position });
}

/**
 * The type that several expressions have in common, as for UNION, CASE and VALUES
 * (select_common_type).
 */
export function commonType(exprs: readonly { type: Type }[], what: string): Type {
  let common: Type = t.UNKNOWN;
  for (const { type } of exprs) {
    if (type === t.UNKNOWN || type === common) continue;
    if (common === t.UNKNOWN) common = type;
    else if (type.category !== common.category) {
      throw new SqlError(
        '42804',
        `${what} types ${common.sqlName} and ${type.sqlName} cannot be matched`,
      );
    } else if (
      !common.preferred &&
      canCast(common, type, 'implicit') &&
      !canCast(type, common, 'implicit')
    ) {
      common = type;
    }
  }
  return common === t.UNKNOWN ? t.TEXT : common;
}
