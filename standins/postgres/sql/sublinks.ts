/** Queries inside expressions: scalar ones, EXISTS, IN, ANY, ALL and ARRAY(…). */

import { SqlError, unsupported } from '../errors.js';
import * as t from '../types/types.js';
import { commonType, coerce } from './coerce.js';
import type { Expr, Frame, Plan } from './expr.js';
import { compile } from './expressions.js';
import { binary, quantified, testEach } from './operations.js';
import { planQuery } from './query.js';
import type { Scope } from './scope.js';
import { strings } from './tree.js';

/** What the query gives here: made once, unless it depends on the rows around it. */
export function rowsOf(plan: Plan): (frame: Frame) => any[][] {
  if (plan.correlated) return (frame) => plan.rows(frame.run, frame);
  return (frame) => frame.run.once(plan, () => plan.rows(frame.run, frame));
}

/** Plans a query whose rows are used by another one. */
export function planInside(select: any, scope: Scope): Plan {
  const plan = planQuery(select, scope.analysis, scope);
  if (plan.waits) {
    if (plan.correlated)
      throw unsupported('a subquery that locks rows or waits, and depends on the query around it,');
    scope.analysis.before.push(plan);
  }
  return plan;
}

export function compileSubLink(node: any, scope: Scope): Expr {
  const plan = planInside(node.subselect, scope);
  const rows = rowsOf(plan);
  const one = () => {
    if (plan.columns.length !== 1)
      throw new SqlError('42601', 'subquery must return only one column');
    return plan.columns[0]!;
  };
  switch (node.subLinkType) {
    case 'EXISTS_SUBLINK':
      return { type: t.BOOL, ev: (frame) => rows(frame).length > 0 };
    case 'EXPR_SUBLINK': {
      const { type, typmod } = one();
      return {
        type,
        typmod,
        ev(frame) {
          const found = rows(frame);
          if (found.length > 1) {
            throw new SqlError(
              '21000',
              'more than one row returned by a subquery used as an expression',
            );
          }
          return found.length === 0 ? null : found[0]![0];
        },
      };
    }
    case 'ARRAY_SUBLINK': {
      const { array } = one().type;
      if (array === undefined) throw unsupported('an array of arrays from a subquery');
      return { type: array, ev: (frame) => rows(frame).map((row) => row[0]) };
    }
    case 'ANY_SUBLINK':
    case 'ALL_SUBLINK':
      return compileAny(node, plan, rows, scope);
  }
  throw unsupported(`the subquery ${node.subLinkType}`);
}

function compileAny(node: any, plan: Plan, rows: (frame: Frame) => any[][], scope: Scope): Expr {
  const symbol = node.operName === undefined ? '=' : strings(node.operName).at(-1)!;
  const all = node.subLinkType === 'ALL_SUBLINK';
  const position = node.location ?? 0;
  const parts: any[] = node.testexpr.RowExpr?.args ?? [node.testexpr];
  if (parts.length !== plan.columns.length) {
    const many = parts.length < plan.columns.length ? 'many' : 'few';
    throw new SqlError('42601', `subquery has too ${many} columns`, { position: position + 1 });
  }
  if (parts.length > 1) {
    if (symbol !== '=') throw unsupported(`${symbol} between rows and a subquery`);
    const lefts = parts.map((part) => compile(part, scope));
    const tests = lefts.map((left, i) =>
      testEach('=', left, plan.columns[i]!.type, scope, position),
    );
    return {
      type: t.BOOL,
      ev: (frame) =>
        quantified(rows(frame), all, (row) => {
          const results = tests.map(({ test, each }, i) => each(row[i], () => test.ev(frame)));
          return results.includes(false) ? false : results.includes(null) ? null : true;
        }),
    };
  }
  const left = compile(parts[0], scope);
  const { type } = plan.columns[0]!;
  if (symbol === '=' && !all && !plan.correlated) {
    const hashed = hashedIn(left, type, rows, scope, position);
    if (hashed !== undefined) return hashed;
  }
  const { test, each } = testEach(symbol, left, type, scope, position);
  return {
    type: t.BOOL,
    ev: (frame) => quantified(rows(frame), all, (row) => each(row[0], () => test.ev(frame))),
  };
}

function hashedIn(
  left: Expr,
  type: typeof t.TEXT,
  rows: (frame: Frame) => any[][],
  scope: Scope,
  position: number,
): Expr | undefined {
  const { parameters } = scope.analysis;
  if (left.type !== t.UNKNOWN && left.type.category !== type.category) return undefined;
  const common = commonType([left, { type }], 'IN');
  let item: any = null;
  const value = coerce(left, common, 'implicit', parameters);
  const right = coerce({ type, ev: () => item }, common, 'implicit', parameters);
  if (value === undefined || right === undefined) return undefined;
  // It says what types do not fit.
  binary('=', value, right, scope, position);
  const key = {};
  const setOf = (frame: Frame) =>
    frame.run.once(key, () => {
      const keys = new Set<string>();
      let nulls = false;
      for (const [found] of rows(frame)) {
        item = found;
        const cast = right.ev(frame);
        if (cast === null) nulls = true;
        else keys.add(common.key(cast));
      }
      return { keys, nulls };
    });
  return {
    type: t.BOOL,
    ev(frame) {
      const { keys, nulls } = setOf(frame);
      const wanted = value.ev(frame);
      if (wanted === null) return keys.size === 0 && !nulls ? false : null;
      return keys.has(common.key(wanted)) ? true : nulls ? null : false;
    },
  };
}
