/** Calls of functions, aggregates and window functions. */

import { SqlError, unsupported } from '../errors.js';
import { aggregatesOf } from '../functions/aggregates.js';
import {
  call,
  overloadsOf,
  select,
  undefinedFunction,
  type Overload,
} from '../functions/overloads.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { coerce } from './coerce.js';
import type { Expr, Frame, Run } from './expr.js';
import { compile, compileAs, keyOf, settle } from './expressions.js';
import { compareBy, sortKeys } from './sorting.js';
import type { Scope } from './scope.js';
import { strings } from './tree.js';
import { compileWindow } from './windows.js';

export function compileCall(node: any, scope: Scope): Expr {
  const path = strings(node.funcname);
  const name = path.at(-1)!;
  const position = (node.location ?? 0) + 1;
  if (node.func_variadic) throw unsupported('VARIADIC');
  if (node.agg_within_group) throw unsupported('WITHIN GROUP');
  if ((node.args ?? []).some((arg: any) => arg.NamedArgExpr !== undefined))
    return named(node, scope);
  if (node.over !== undefined) return compileWindow(name, node, scope, position);
  const aggregates = aggregatesOf(name);
  if (aggregates !== undefined) return compileAggregate(name, aggregates, node, scope, position);
  const args: Expr[] = (node.args ?? []).map((arg: any) => compile(arg, scope));
  return callNamed(name, args, scope, position);
}

export function callNamed(
  name: string,
  args: readonly Expr[],
  scope: Scope,
  position: number,
): Expr {
  const types = args.map((arg) => arg.type);
  const candidates = overloadsOf(name);
  const found = select(candidates, types);
  if (found.length >= 1 && (found.length === 1 || types.includes(t.UNKNOWN))) {
    return call(found[0]!, args, scope.analysis.parameters);
  }
  // The name of a type, called, is a cast.
  const { db, session, transaction, parameters } = scope.analysis;
  const type = db.typeNamed(name, ['pg_catalog', ...session.searchPath], transaction);
  if (type !== undefined && args.length === 1) {
    const cast = coerce(args[0]!, type, 'explicit', parameters);
    if (cast !== undefined) return cast;
  }
  if (found.length > 1) {
    throw new SqlError(
      '42725',
      `function ${name}(${types.map((one) => one.sqlName).join(', ')}) is not unique`,
      { position },
    );
  }
  if (candidates.length === 0 && !scope.analysis.session.definesFunctions)
    throw unsupportedFunction(name, types, position);
  throw undefinedFunction(name, types, position);
}

/** Whether PostgreSQL has it is not known here, so this says both. */
function unsupportedFunction(name: string, types: readonly Type[], position: number): SqlError {
  const error = undefinedFunction(name, types, position);
  error.fields.hint =
    "detsim's PostgreSQL stand-in has no function of this name; see docs/stand-ins.md.";
  return error;
}

function named(node: any, scope: Scope): Expr {
  const name = strings(node.funcname).at(-1)!;
  const order = NAMED[name];
  if (order === undefined) throw unsupported(`named arguments of ${name}`);
  const args: Expr[] = order.map(() => ({ type: t.INT4, ev: () => 0 }));
  for (const arg of node.args) {
    const at = order.indexOf(arg.NamedArgExpr?.name);
    if (at < 0) throw unsupported(`these arguments of ${name}`);
    args[at] = compile(arg.NamedArgExpr.arg, scope);
  }
  return callNamed(name, args, scope, (node.location ?? 0) + 1);
}

const NAMED: Record<string, string[]> = {
  make_interval: ['years', 'months', 'weeks', 'days', 'hours', 'mins', 'secs'],
};

/** The aggregate that is meant, and what it makes of the argument lists of a group. */
export function aggregateOf(
  name: string,
  candidates: readonly Overload[],
  args: readonly Expr[],
  scope: Scope,
  position: number,
) {
  const types = args.map((arg) => arg.type);
  const found = select(candidates, types);
  if (found.length === 0) throw undefinedFunction(name, types, position);
  const overload = found[0]!;
  const settled = args.map((arg) => settle(arg, scope));
  const cast = settled.map((arg, i) => {
    const formal = overload.args[i]!;
    return typeof formal === 'string'
      ? arg
      : coerce(arg, formal, 'implicit', scope.analysis.parameters)!;
  });
  const actual = cast.map((arg) => arg.type);
  const { result } = overload;
  const type =
    typeof result === 'function'
      ? result(actual)
      : typeof result === 'string'
        ? actual[0]!
        : result;
  return {
    type,
    args: cast,
    apply: (rows: any[][], run: Run) => overload.apply(rows, run, actual),
  };
}

function compileAggregate(
  name: string,
  candidates: readonly Overload[],
  node: any,
  scope: Scope,
  position: number,
): Expr {
  if (scope.inAggregate) {
    throw new SqlError('42803', 'aggregate function calls cannot be nested', { position });
  }
  if (!scope.aggregatesAllowed) {
    throw new SqlError('42803', `aggregate functions are not allowed in ${scope.clause}`, {
      position,
    });
  }
  const key = keyOf(node);
  const known = scope.aggregates.findIndex((aggregate) => aggregate.key === key);
  scope.inAggregate = true;
  try {
    const args: Expr[] = (node.args ?? []).map((arg: any) => compile(arg, scope));
    const chosen = aggregateOf(name, candidates, args, scope, position);
    const filter = node.agg_filter && compileAs(node.agg_filter, scope, t.BOOL, 'FILTER');
    const order = sortKeys(node.agg_order ?? [], (item) => compile(item, scope), scope);
    const value = (frames: Frame[], run: Run) => {
      let list =
        filter === undefined ? frames : frames.filter((frame) => filter.ev(frame) === true);
      if (order.length > 0) list = compareBy(list, order);
      let rows = list.map((frame) => chosen.args.map((arg) => arg.ev(frame)));
      if (node.agg_distinct) rows = distinct(rows, chosen.args, order.length === 0);
      return chosen.apply(rows, run);
    };
    const at = known >= 0 ? known : scope.aggregates.push({ key, over: false, value }) - 1;
    return { type: chosen.type, ev: (frame) => frame.aggregates[at] };
  } finally {
    scope.inAggregate = false;
  }
}

/** PostgreSQL sorts to find what is equal, so the order of the values shows. */
function distinct(rows: any[][], args: readonly Expr[], sort: boolean): any[][] {
  const seen = new Set<string>();
  const unique = rows.filter((row) => {
    const key = JSON.stringify(
      row.map((value, i) => (value === null ? null : args[i]!.type.key(value))),
    );
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  if (!sort || args.length === 0) return unique;
  const { type } = args[0]!;
  return unique.sort(([a], [b]) =>
    a === null || b === null ? Number(a === null) - Number(b === null) : type.compare(a, b),
  );
}
