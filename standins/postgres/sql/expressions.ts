/** Expressions of the parse tree as closures. */

import { SqlError, unsupported } from '../errors.js';
import { Numeric } from '../types/numeric.js';
import { Row, type Type } from '../types/type.js';
import * as t from '../types/types.js';

import { cannotCast, coerce, commonType } from './coerce.js';
import type { Expr, Frame } from './expr.js';
import { compileCall } from './calls.js';
import { binary, compileOperator } from './operations.js';
import type { Scope } from './scope.js';
import { compileSubLink } from './sublinks.js';
import { kindOf, strings, typeOf } from './tree.js';

export function compile(node: any, scope: Scope): Expr {
  const kind = kindOf(node);
  if (scope.groups !== undefined && !scope.inAggregate && scope.groups.size > 0) {
    const group = scope.groups.get(keyOf(node));
    if (group !== undefined) return group;
  }
  const compiler = COMPILERS[kind];
  if (compiler === undefined) throw unsupported(`the expression ${kind}`);
  return compiler(node[kind], scope);
}

/** An expression that has to be of a type. */
export function compileAs(node: any, scope: Scope, type: Type, what: string): Expr {
  const expr = compile(node, scope);
  const cast = coerce(expr, type, 'assignment', scope.analysis.parameters);
  if (cast !== undefined) return cast;
  throw new SqlError(
    '42804',
    `argument of ${what} must be type ${type.sqlName}, not type ${expr.type.sqlName}`,
  );
}

/** Equal for expressions that are written alike, wherever they stand. */
export function keyOf(node: any): string {
  return JSON.stringify(node, (key, value) =>
    key === 'location' || /^rexpr_list/.test(key) ? undefined : value,
  );
}

/** A literal or parameter that nothing has given a type to is text. */
export function settle(expr: Expr, scope: Scope): Expr {
  return expr.type === t.UNKNOWN
    ? coerce(expr, t.TEXT, 'implicit', scope.analysis.parameters)!
    : expr;
}

const constant = (type: Type, value: any): Expr => ({ type, ev: () => value });

function compileConst(node: any): Expr {
  if (node.isnull) return { type: t.UNKNOWN, literal: null, ev: () => null };
  if (node.ival !== undefined) return constant(t.INT4, node.ival.ival ?? 0);
  if (node.boolval !== undefined) return constant(t.BOOL, node.boolval.boolval ?? false);
  if (node.sval !== undefined) {
    const text = node.sval.sval ?? '';
    return { type: t.UNKNOWN, literal: text, ev: () => text };
  }
  if (node.fval !== undefined) {
    const text: string = node.fval.fval;
    if (/^\d+$/.test(text) && BigInt(text) < 2n ** 63n) return constant(t.INT8, BigInt(text));
    return constant(t.NUMERIC, Numeric.parse(text));
  }
  throw unsupported('a bit string');
}

function compileColumn(node: any, scope: Scope): Expr {
  const position = (node.location ?? 0) + 1;
  if (node.fields.at(-1).A_Star !== undefined) {
    const path = strings(node.fields.slice(0, -1));
    const row = path.length > 0 ? scope.wholeRow(path.at(-1)!, position) : undefined;
    if (row === undefined)
      throw new SqlError('42601', 'row expansion via "*" is not supported here');
    return row;
  }
  return scope.resolve(strings(node.fields), position);
}

function compileParam(node: any, scope: Scope): Expr {
  const number: number = node.number ?? 0;
  const { parameters } = scope.analysis;
  if (number < 1) throw new SqlError('42P02', `there is no parameter $${number}`);
  while (parameters.types.length < number) parameters.types.push(undefined);
  const type = parameters.types[number - 1];
  const ev = (frame: Frame) => frame.run.params[number - 1];
  return type === undefined ? { type: t.UNKNOWN, param: number, ev } : { type, ev };
}

function compileCast(node: any, scope: Scope): Expr {
  const { type, typmod } = typeOf(node.typeName, scope.analysis);
  const array = node.arg.A_ArrayExpr;
  // ARRAY[]::int[] gives its elements the type.
  if (array !== undefined && type.element !== undefined)
    return compileArray(array, scope, type.element);
  const arg = compile(node.arg, scope);
  const cast = coerce(arg, type, 'explicit', scope.analysis.parameters, typmod);
  if (cast === undefined) throw cannotCast(arg.type, type, (node.location ?? 0) + 1);
  return cast === arg ? { ...cast } : cast;
}

function compileBool(node: any, scope: Scope): Expr {
  const what = node.boolop.replace('_EXPR', '');
  const args = node.args.map((arg: any) => compileAs(arg, scope, t.BOOL, what).ev);
  if (what === 'NOT') {
    return {
      type: t.BOOL,
      ev: (frame) => {
        const v = args[0](frame);
        return v === null ? null : !v;
      },
    };
  }
  // One decides alone: false for AND, true for OR.
  const decisive = what === 'OR';
  return {
    type: t.BOOL,
    ev(frame) {
      let unknown = false;
      for (const arg of args) {
        const value = arg(frame);
        if (value === decisive) return decisive;
        if (value === null) unknown = true;
      }
      return unknown ? null : !decisive;
    },
  };
}

function compileNullTest(node: any, scope: Scope): Expr {
  const arg = settle(compile(node.arg, scope), scope);
  const isNull = node.nulltesttype === 'IS_NULL';
  if (arg.type === t.RECORD) {
    return {
      type: t.BOOL,
      ev(frame) {
        const row: Row | null = arg.ev(frame);
        return row === null ? isNull : row.values.every((value) => (value === null) === isNull);
      },
    };
  }
  return { type: t.BOOL, ev: (frame) => (arg.ev(frame) === null) === isNull };
}

function compileBooleanTest(node: any, scope: Scope): Expr {
  const arg = compileAs(node.arg, scope, t.BOOL, 'IS TRUE');
  const [, not, word] = /^IS_(NOT_)?(TRUE|FALSE|UNKNOWN)$/.exec(node.booltesttype)!;
  const wanted = word === 'UNKNOWN' ? null : word === 'TRUE';
  return { type: t.BOOL, ev: (frame) => (arg.ev(frame) === wanted) === (not === undefined) };
}

/** All of them cast to the type that they have in common. */
export function unify(
  exprs: readonly Expr[],
  what: string,
  scope: Scope,
): { type: Type; exprs: Expr[] } {
  const type = commonType(exprs, what);
  const cast = exprs.map((expr) => {
    const fitted = coerce(expr, type, 'implicit', scope.analysis.parameters);
    if (fitted !== undefined) return fitted;
    throw new SqlError(
      '42804',
      `${what} could not convert type ${expr.type.sqlName} to ${type.sqlName}`,
    );
  });
  return { type, exprs: cast };
}

function compileCase(node: any, scope: Scope): Expr {
  const subject = node.arg === undefined ? undefined : settle(compile(node.arg, scope), scope);
  const tests = node.args.map(({ CaseWhen: when }: any) => {
    if (subject === undefined) return compileAs(when.expr, scope, t.BOOL, 'CASE/WHEN');
    return binary('=', subject, compile(when.expr, scope), scope, when.location);
  });
  const results = node.args.map(({ CaseWhen: when }: any) => compile(when.result, scope));
  const otherwise =
    node.defresult === undefined ? compileConst({ isnull: true }) : compile(node.defresult, scope);
  // The type of ELSE counts first, as in transformCaseExpr.
  const { type, exprs } = unify([otherwise, ...results], 'CASE', scope);
  return {
    type,
    ev(frame) {
      for (let i = 0; i < tests.length; i += 1) {
        if (tests[i].ev(frame) === true) return exprs[i + 1]!.ev(frame);
      }
      return exprs[0]!.ev(frame);
    },
  };
}

function compileCoalesce(node: any, scope: Scope): Expr {
  const { type, exprs } = unify(
    node.args.map((arg: any) => compile(arg, scope)),
    'COALESCE',
    scope,
  );
  return {
    type,
    ev(frame) {
      for (const expr of exprs) {
        const value = expr.ev(frame);
        if (value !== null) return value;
      }
      return null;
    },
  };
}

function compileMinMax(node: any, scope: Scope): Expr {
  const greatest = node.op === 'IS_GREATEST';
  const what = greatest ? 'GREATEST' : 'LEAST';
  const { type, exprs } = unify(
    node.args.map((arg: any) => compile(arg, scope)),
    what,
    scope,
  );
  return {
    type,
    ev(frame) {
      let best: any = null;
      for (const expr of exprs) {
        const value = expr.ev(frame);
        if (value === null) continue;
        if (
          best === null ||
          (greatest ? type.compare(value, best) > 0 : type.compare(value, best) < 0)
        )
          best = value;
      }
      return best;
    },
  };
}

export function compileArray(node: any, scope: Scope, element?: Type): Expr {
  const items = (node.elements ?? []).map((item: any) =>
    item.A_ArrayExpr === undefined
      ? compile(item, scope)
      : compileArray(item.A_ArrayExpr, scope, element),
  );
  if (items.length === 0 && element === undefined) {
    throw new SqlError('42P18', 'cannot determine type of empty array', {
      hint: 'Explicitly cast to the desired type, for example ARRAY[]::integer[].',
    });
  }
  const nested = items[0]?.type.element;
  const wanted = nested !== undefined ? items[0].type : element;
  const cast =
    wanted === undefined
      ? unify(items, 'ARRAY', scope)
      : {
          type: wanted,
          exprs: items.map((item: Expr) => {
            const fitted = coerce(item, wanted, 'explicit', scope.analysis.parameters);
            if (fitted === undefined) throw cannotCast(item.type, wanted);
            return fitted;
          }),
        };
  const type = nested !== undefined ? cast.type : cast.type.array;
  if (type === undefined)
    throw new SqlError('42704', `could not find array type for data type ${cast.type.sqlName}`);
  const evs: Expr[] = cast.exprs;
  return { type, ev: (frame) => evs.map((item) => item.ev(frame)) };
}

function compileRow(node: any, scope: Scope): Expr {
  const items: Expr[] = (node.args ?? []).map((arg: any) => settle(compile(arg, scope), scope));
  const types = items.map((item) => item.type);
  const names = items.map((_, i) => `f${i + 1}`);
  return {
    type: t.RECORD,
    ev: (frame) =>
      new Row(
        types,
        names,
        items.map((item) => item.ev(frame)),
      ),
  };
}

function compileIndirection(node: any, scope: Scope): Expr {
  let expr = compile(node.arg, scope);
  for (const step of node.indirection) {
    const indices = step.A_Indices;
    if (indices === undefined) throw unsupported('a field of a composite value');
    if (expr.type === t.JSONB) {
      expr = binary('->', expr, compile(indices.uidx, scope), scope, 0);
      continue;
    }
    const { element } = expr.type;
    if (element === undefined) {
      throw new SqlError(
        '42804',
        `cannot subscript type ${expr.type.sqlName} because it does not support subscripting`,
      );
    }
    const base = expr;
    const index = (part: any) => part && compileAs(part, scope, t.INT4, 'array subscript');
    const [low, high] = [index(indices.lidx), index(indices.uidx)];
    expr = indices.is_slice
      ? {
          type: base.type,
          ev: (frame) =>
            base.ev(frame)?.slice(Math.max(0, (low?.ev(frame) ?? 1) - 1), high?.ev(frame)) ?? null,
        }
      : { type: element, ev: (frame) => subscript(base.ev(frame), high.ev(frame)) };
    if (!indices.is_slice && node.indirection.length > 1) expr = { ...expr, type: base.type };
  }
  const nested = node.indirection.length > 1 && expr.type.element !== undefined;
  return nested && node.indirection.every((step: any) => !step.A_Indices.is_slice)
    ? { ...expr, type: expr.type.element! }
    : expr;
}

const subscript = (list: any, at: number | null) =>
  list === null || at === null ? null : (list[at - 1] ?? null);

const VALUE_FUNCTIONS: Record<string, readonly [Type, (frame: Frame) => any]> = {
  SVFOP_CURRENT_TIMESTAMP: [t.TIMESTAMPTZ, ({ run }) => run.transaction.started],
  SVFOP_LOCALTIMESTAMP: [t.TIMESTAMP, ({ run }) => run.transaction.started],
  SVFOP_CURRENT_DATE: [t.DATE, ({ run }) => Math.floor(run.transaction.started / t.DAY)],
  SVFOP_LOCALTIME: [t.TIME, ({ run }) => run.transaction.started % t.DAY],
  SVFOP_CURRENT_USER: [t.NAME, ({ run }) => run.session.user],
  SVFOP_SESSION_USER: [t.NAME, ({ run }) => run.session.user],
  SVFOP_USER: [t.NAME, ({ run }) => run.session.user],
  SVFOP_CURRENT_ROLE: [t.NAME, ({ run }) => run.session.user],
  SVFOP_CURRENT_CATALOG: [t.NAME, ({ run }) => run.db.name],
  SVFOP_CURRENT_SCHEMA: [t.NAME, ({ run }) => run.session.searchPath[0] ?? null],
};

function compileValueFunction(node: any): Expr {
  const plain = VALUE_FUNCTIONS[node.op.replace(/_N$/, '')];
  if (plain === undefined) throw unsupported(node.op.replace('SVFOP_', ''));
  const [type, ev] = plain;
  if (!/_N$/.test(node.op)) return { type, ev };
  return { type, ev: (frame) => t.applyTypmod(type, [node.typmod ?? 0], ev(frame), true) };
}

const COMPILERS: Record<string, (node: any, scope: Scope) => Expr> = {
  A_Const: compileConst,
  ColumnRef: compileColumn,
  ParamRef: compileParam,
  TypeCast: compileCast,
  A_Expr: compileOperator,
  BoolExpr: compileBool,
  NullTest: compileNullTest,
  BooleanTest: compileBooleanTest,
  FuncCall: compileCall,
  SubLink: compileSubLink,
  CaseExpr: compileCase,
  CoalesceExpr: compileCoalesce,
  MinMaxExpr: compileMinMax,
  SQLValueFunction: compileValueFunction,
  A_ArrayExpr: (node, scope) => compileArray(node, scope),
  RowExpr: compileRow,
  A_Indirection: compileIndirection,
  CollateClause(node, scope) {
    const name = strings(node.collname).at(-1)!;
    if (!/^(c|posix|default|ucs_basic)$/i.test(name)) throw unsupported(`the collation "${name}"`);
    return compile(node.arg, scope);
  },
  SetToDefault() {
    throw new SqlError('42601', 'DEFAULT is not allowed in this context');
  },
};
