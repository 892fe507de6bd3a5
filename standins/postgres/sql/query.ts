/** Queries: SELECT, VALUES, UNION and its kin, and WITH. */

import { finish, type Steps } from '../engine/wait.js';
import { SqlError, unsupported } from '../errors.js';
import * as t from '../types/types.js';
import type { Type } from '../types/type.js';
import { coerce, commonType } from './coerce.js';
import { Frame, type Expr, type OutputColumn, type Plan, type Run } from './expr.js';
import { compile, compileAs, settle } from './expressions.js';
import { planModify } from './modify.js';
import { planInside, rowsOf } from './sublinks.js';
import { Scope, type Analysis } from './scope.js';
import { planSelect } from './select.js';
import { compareKeys, sortKeys } from './sorting.js';
import { kindOf, strings } from './tree.js';
import { renamed } from './from.js';

/** @param wanted the types that literals and parameters without one take, column by column */
export function planQuery(
  node: any,
  analysis: Analysis,
  parent: Scope | undefined,
  wanted?: readonly (Type | undefined)[],
): Plan {
  const kind = kindOf(node);
  if (kind !== 'SelectStmt') return planModify(node, analysis, parent);
  const select = node.SelectStmt;
  if (select.intoClause !== undefined) throw unsupported('SELECT INTO');
  const scope = new Scope(analysis, parent);
  planWith(select.withClause, scope);
  if (select.op !== undefined && select.op !== 'SETOP_NONE')
    return planSetOperation(select, scope, wanted);
  if (select.valuesLists !== undefined) return planValues(select, scope, wanted);
  return planSelect(select, scope, wanted);
}

/** A plan whose rows come without waiting. */
export function simplePlan(
  columns: readonly OutputColumn[],
  scope: Scope,
  rows: (run: Run, parent: Frame | undefined) => any[][],
): Plan {
  return {
    columns,
    waits: false,
    get correlated() {
      return scope.correlated;
    },
    rows,
    *steps(run, parent) {
      return rows(run, parent);
    },
  };
}

/** A plan that may wait. Its rows are there once it has been run. */
export function waitingPlan(
  columns: readonly OutputColumn[],
  scope: Scope,
  steps: (run: Run, parent: Frame | undefined) => Steps<any[][]>,
): Plan {
  const plan: Plan = {
    columns,
    waits: true,
    get correlated() {
      return scope.correlated;
    },
    rows: (run, parent) =>
      run.once(plan, () => finish(steps(run, parent), () => unsupported('waiting here'))),
    steps,
  };
  return plan;
}

export function planWith(node: any, scope: Scope): void {
  for (const { CommonTableExpr: cte } of node?.ctes ?? []) {
    const name: string = cte.ctename;
    if (scope.ctes.has(name))
      throw new SqlError('42712', `WITH query name "${name}" specified more than once`);
    const alias = { aliasname: name, colnames: cte.aliascolnames };
    const select = cte.ctequery.SelectStmt;
    if (node.recursive && select?.op === 'SETOP_UNION') {
      planRecursive(name, alias, select, scope);
      continue;
    }
    const plan = planInside(cte.ctequery, scope);
    if (select === undefined && !plan.waits) scope.analysis.before.push(plan);
    if (plan.correlated) throw unsupported('a WITH query that depends on the query around it');
    const rows = rowsOf(plan);
    const columns = renamed(plan.columns, alias);
    scope.ctes.set(name, { name, columns, rows: (run) => rows(new Frame(run, undefined)) });
  }
}

function planRecursive(name: string, alias: any, select: any, scope: Scope): void {
  const first = planQuery({ SelectStmt: select.larg }, scope.analysis, scope);
  const columns = renamed(first.columns, alias);
  const inner = new Scope(scope.analysis, scope);
  const working = {};
  inner.ctes.set(name, {
    name,
    columns,
    recursive: true,
    rows: (run) => run.memo.get(working) ?? [],
  });
  const types = columns.map((column) => column.type);
  const next = planQuery({ SelectStmt: select.rarg }, scope.analysis, inner, types);
  if (first.waits || next.waits) throw unsupported('WITH RECURSIVE that locks rows or waits');
  const casts = columnCasts(next.columns, types, 'UNION', inner);
  const key = {};
  const rows = (run: Run) =>
    run.once(key, () => {
      const frame = new Frame(run, undefined);
      const seen = new Set<string>();
      const fresh = (found: any[][]) =>
        select.all
          ? found
          : found.filter((row) => !seen.has(rowKey(row, types)) && seen.add(rowKey(row, types)));
      let latest = fresh(first.rows(run, frame));
      const all = [...latest];
      while (latest.length > 0) {
        run.memo.set(working, latest);
        latest = fresh(next.rows(run, new Frame(run, frame)).map((row) => casts(row, run)));
        for (const row of latest) all.push(row);
      }
      return all;
    });
  scope.ctes.set(name, { name, columns, rows });
}

export function rowKey(row: readonly any[], types: readonly Type[]): string {
  return JSON.stringify(row.map((value, i) => (value === null ? null : types[i]!.key(value))));
}

/** Makes a row of one query fit the columns of several. */
function columnCasts(
  columns: readonly OutputColumn[],
  types: readonly Type[],
  what: string,
  scope: Scope,
) {
  let row: any[] = [];
  const exprs = columns.map((column, i) => {
    const source: Expr = { type: column.type, ev: () => row[i] };
    const cast = coerce(source, types[i]!, 'implicit', scope.analysis.parameters);
    if (cast === undefined)
      throw new SqlError(
        '42804',
        `${what} types ${types[i]!.sqlName} and ${column.type.sqlName} cannot be matched`,
      );
    return cast;
  });
  if (columns.every((column, i) => column.type === types[i])) return (values: any[]) => values;
  return (values: any[], run: Run) => {
    row = values;
    const frame = new Frame(run, undefined);
    return exprs.map((expr) => expr.ev(frame));
  };
}

function planSetOperation(select: any, scope: Scope, wanted?: readonly (Type | undefined)[]): Plan {
  const what = select.op.replace('SETOP_', '');
  const { analysis } = scope;
  const arm = (node: any, types?: readonly (Type | undefined)[]) =>
    planQuery({ SelectStmt: node }, analysis, scope, types);
  // Types first: literals take the type of the other side.
  const drafts = [select.larg, select.rarg].map((node) => arm(node, []));
  const [left, right] = drafts as [Plan, Plan];
  if (left.columns.length !== right.columns.length) {
    throw new SqlError('42601', `each ${what} query must have the same number of columns`);
  }
  const types = left.columns.map((column, i) => {
    const pair = [column, right.columns[i]!];
    if (pair.every(({ type }) => type === t.UNKNOWN)) return wanted?.[i] ?? t.TEXT;
    return commonType(pair, what);
  });
  const plans = [select.larg, select.rarg].map((node, i) => {
    const open = drafts[i]!.columns.some((column) => column.type === t.UNKNOWN);
    return open ? arm(node, types) : drafts[i]!;
  });
  const casts = plans.map((plan) => columnCasts(plan.columns, types, what, scope));
  for (const plan of plans) {
    if (!plan.waits) continue;
    if (plan.correlated)
      throw unsupported(`a ${what} that waits and depends on the query around it`);
    analysis.before.push(plan);
  }
  const columns = left.columns.map((column, i) => ({
    name: column.name,
    type: types[i]!,
    typmod: [],
  }));
  const order = outputOrder(select.sortClause, columns, scope, what);
  const limit = limits(select, scope);
  return simplePlan(columns, scope, (run, parent) => {
    const frame = new Frame(run, parent);
    const [a, b] = plans.map((plan, i) =>
      (plan.waits ? plan.rows(run, frame) : plan.rows(run, frame)).map((row) =>
        casts[i]!(row, run),
      ),
    ) as [any[][], any[][]];
    let rows = combine(what, select.all ?? false, a, b, types);
    if (order.length > 0) {
      const keyed = rows.map((row) => ({ row, keys: order.map(({ at }) => row[at]) }));
      keyed.sort((x, y) =>
        compareKeys(
          order.map(({ key }) => key),
          x.keys,
          y.keys,
        ),
      );
      rows = keyed.map(({ row }) => row);
    }
    return limit(rows, frame);
  });
}

function combine(
  what: string,
  all: boolean,
  a: any[][],
  b: any[][],
  types: readonly Type[],
): any[][] {
  const key = (row: any[]) => rowKey(row, types);
  const distinct = (rows: any[][]) => [...new Map(rows.map((row) => [key(row), row])).values()];
  if (what === 'UNION') return all ? [...a, ...b] : distinct([...a, ...b]);
  const counts = new Map<string, number>();
  for (const row of b) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  const wanted = what === 'INTERSECT';
  if (!all) return distinct(a).filter((row) => counts.has(key(row)) === wanted);
  return a.filter((row) => {
    const left = counts.get(key(row)) ?? 0;
    if (left > 0) counts.set(key(row), left - 1);
    return left > 0 === wanted;
  });
}

/** ORDER BY of what is put together can name its output columns only. */
function outputOrder(
  nodes: any[] | undefined,
  columns: readonly OutputColumn[],
  scope: Scope,
  what: string,
) {
  const ats: number[] = [];
  const keys = sortKeys(
    nodes ?? [],
    (node) => {
      const name = node.ColumnRef && strings(node.ColumnRef.fields).at(-1);
      const position = node.A_Const?.ival?.ival;
      const at =
        position !== undefined ? position - 1 : columns.findIndex((column) => column.name === name);
      if (columns[at] === undefined) {
        if (name !== undefined) throw new SqlError('42703', `column "${name}" does not exist`);
        throw new SqlError('0A000', `invalid ${what}/INTERSECT/EXCEPT ORDER BY clause`);
      }
      ats.push(at);
      return { type: columns[at]!.type, ev: () => null };
    },
    scope,
  );
  return keys.map((key, i) => ({ key, at: ats[i]! }));
}

/** LIMIT and OFFSET. */
export function limits(
  select: any,
  scope: Scope,
): (<T>(rows: T[], frame: Frame) => T[]) & { range(frame: Frame): [number, number] } {
  const count = (node: any, what: string) =>
    node === undefined || node.A_Const?.isnull ? undefined : compileAs(node, scope, t.INT8, what);
  if (select.limitOption === 'LIMIT_OPTION_WITH_TIES') throw unsupported('FETCH … WITH TIES');
  const [limit, offset] = [count(select.limitCount, 'LIMIT'), count(select.limitOffset, 'OFFSET')];
  const value = (expr: Expr | undefined, frame: Frame, what: string, code: string) => {
    const given = expr?.ev(frame);
    if (given < 0n) throw new SqlError(code, `${what} must not be negative`);
    return given === null || given === undefined ? undefined : Number(given);
  };
  const range = (frame: Frame): [number, number] => {
    const from = value(offset, frame, 'OFFSET', '2201X') ?? 0;
    const size = value(limit, frame, 'LIMIT', '2201W');
    return [from, size === undefined ? Infinity : from + size];
  };
  return Object.assign(
    <T>(rows: T[], frame: Frame) => {
      if (limit === undefined && offset === undefined) return rows;
      return rows.slice(...range(frame));
    },
    { range },
  );
}

function planValues(select: any, scope: Scope, wanted?: readonly (Type | undefined)[]): Plan {
  const lists: Expr[][] = select.valuesLists.map(({ List }: any) =>
    List.items.map((item: any) => compile(item, scope)),
  );
  const width = lists[0]!.length;
  if (lists.some((list) => list.length !== width)) {
    throw new SqlError('42601', 'VALUES lists must all be the same length');
  }
  const columns = Array.from({ length: width }, (_, i): OutputColumn => {
    const column = lists.map((list) => list[i]!);
    const type = column.every((expr) => expr.type === t.UNKNOWN)
      ? (wanted?.[i] ?? (wanted === undefined ? t.TEXT : t.UNKNOWN))
      : commonType(column, 'VALUES');
    return { name: `column${i + 1}`, type, typmod: [] };
  });
  const rows = lists.map((list) =>
    list.map((expr, i) => {
      const { type } = columns[i]!;
      return type === t.UNKNOWN
        ? expr
        : (coerce(expr, type, 'implicit', scope.analysis.parameters) ?? settle(expr, scope));
    }),
  );
  const order = outputOrder(select.sortClause, columns, scope, 'VALUES');
  const limit = limits(select, scope);
  return simplePlan(columns, scope, (run, parent) => {
    const frame = new Frame(run, parent);
    const values = rows.map((row) => row.map((expr) => expr.ev(frame)));
    const keys = order.map(({ key }) => key);
    if (keys.length > 0)
      values.sort((x, y) =>
        compareKeys(
          keys,
          order.map(({ at }) => x[at]),
          order.map(({ at }) => y[at]),
        ),
      );
    return limit(values, frame);
  });
}
