/** FROM clauses: tables, subqueries, functions and joins as sources of rows. */

import type { Table } from '../engine/table.js';
import { SqlError, unsupported } from '../errors.js';
import { callNamed } from './calls.js';
import { systemTable } from '../catalog/tables.js';
import type { Expr, OutputColumn, RangeEntry, StarColumn } from './expr.js';
import { compile, unify } from './expressions.js';
import { conjuncts, type Conjunct } from './conjuncts.js';
import { planInside, rowsOf } from './sublinks.js';
import { FullJoin, LeftJoin, ListSource, RowsSource, TableSource, type Source } from './sources.js';
import type { Scope } from './scope.js';
import { columnName, kindOf, strings } from './tree.js';
import { planQuery } from './query.js';
import { binary } from './operations.js';
import * as t from '../types/types.js';

/** An item of FROM: where its rows come from, and the names that it brings. */
export interface FromItem {
  readonly source: Source;
  readonly star: readonly StarColumn[];
  readonly names: readonly RangeEntry[];
}

/** Analyses a FROM clause; afterwards its names are visible in the scope. */
export function analyseFrom(nodes: readonly any[], scope: Scope): ListSource {
  const items: FromItem[] = [];
  for (const node of nodes) {
    const item = analyseItem(node, scope, items);
    const taken = new Set(items.flatMap((one) => one.names.map((entry) => entry.alias)));
    for (const { alias } of item.names) {
      if (taken.has(alias))
        throw new SqlError('42712', `table name "${alias}" specified more than once`);
    }
    items.push(item);
  }
  show(scope, items);
  return new ListSource(items.map((item) => item.source));
}

function show(scope: Scope, items: readonly FromItem[]): void {
  scope.star = items.flatMap((item) => item.star);
  scope.names = items.flatMap((item) => item.names);
}

function analyseItem(node: any, scope: Scope, before: readonly FromItem[]): FromItem {
  const kind = kindOf(node);
  switch (kind) {
    case 'RangeVar':
      return rangeVar(node.RangeVar, scope);
    case 'RangeSubselect': {
      const body = node.RangeSubselect;
      show(scope, body.lateral ? before : []);
      const plan = planInside(body.subquery, scope);
      show(scope, []);
      return rowsItem(
        scope,
        body.alias,
        'unnamed_subquery',
        plan.columns,
        (frame) => rowsOf(plan)(frame),
        plan,
      );
    }
    case 'RangeFunction':
      show(scope, before);
      return rangeFunction(node.RangeFunction, scope);
    case 'JoinExpr':
      return join(node.JoinExpr, scope, before);
  }
  throw unsupported(`${kind} in FROM`);
}

function entryItem(scope: Scope, entry: RangeEntry, source: Source): FromItem {
  return { source, star: scope.starOf(entry), names: [entry] };
}

function rowsItem(
  scope: Scope,
  alias: any,
  name: string,
  columns: readonly Pick<OutputColumn, 'name' | 'type' | 'typmod'>[],
  rows: ConstructorParameters<typeof RowsSource>[1],
  once: object | undefined,
): FromItem {
  const entry = scope.add(alias?.aliasname ?? name, renamed(columns, alias));
  return entryItem(scope, entry, new RowsSource(entry.index, rows, once));
}

export function renamed<T extends { name: string }>(columns: readonly T[], alias: any): T[] {
  const names = strings(alias?.colnames);
  if (names.length > columns.length) {
    throw new SqlError(
      '42P10',
      `table "${alias.aliasname}" has ${columns.length} columns available but ${names.length} columns specified`,
    );
  }
  return columns.map((column, i) => ({ ...column, name: names[i] ?? column.name }));
}

/** The table that a name means, or the error that there is none. */
export function tableNamed(node: any, scope: Scope): Table {
  const { session } = scope.analysis;
  const table = session.findTable(node.schemaname, node.relname, scope.analysis.transaction);
  if (table !== undefined) return table;
  const name = node.schemaname === undefined ? node.relname : `${node.schemaname}.${node.relname}`;
  throw new SqlError('42P01', `relation "${name}" does not exist`, {
    position: (node.location ?? 0) + 1,
  });
}

function rangeVar(node: any, scope: Scope): FromItem {
  const { analysis } = scope;
  const cte = node.schemaname === undefined ? scope.cte(node.relname) : undefined;
  if (cte !== undefined) {
    const rows = (frame: any) => cte.rows(frame.run, frame);
    if (cte.recursive) {
      // What is inside of the recursive query is made anew for each round.
      for (let at: Scope | undefined = scope; at !== undefined && !at.defines(cte); at = at.parent)
        at.correlated = true;
    }
    return rowsItem(
      scope,
      node.alias,
      node.relname,
      cte.columns,
      rows,
      cte.recursive ? undefined : cte,
    );
  }
  const system = systemTable(node.schemaname, node.relname);
  if (system !== undefined) {
    const rows = (frame: any) => frame.run.once(system, () => system.rows(frame.run));
    return rowsItem(scope, node.alias, node.relname, system.columns, rows, system);
  }
  const table = tableNamed(node, scope);
  if (table.view !== undefined) {
    // A view sees neither the names nor the WITH queries of whoever uses it.
    const plan = planQuery(table.view, analysis, undefined);
    const columns = plan.columns.map((column, i) => ({
      ...column,
      name: table.columns[i]?.name ?? column.name,
    }));
    return rowsItem(scope, node.alias, node.relname, columns, (frame) => rowsOf(plan)(frame), plan);
  }
  analysis.uses(table, 'AccessShareLock');
  const entry = scope.add(
    node.alias?.aliasname ?? node.relname,
    renamed(table.columns, node.alias),
    table,
  );
  return entryItem(scope, entry, new TableSource(entry.index, table));
}

function rangeFunction(node: any, scope: Scope): FromItem {
  if (node.functions.length !== 1) throw unsupported('ROWS FROM');
  const [callNode, definitions] = node.functions[0].List.items;
  const list = definitions?.List?.items ?? node.coldeflist;
  if (list !== undefined) throw unsupported('a function in FROM with column definitions');
  const expr: Expr =
    callNode.FuncCall?.args === undefined && callNode.FuncCall !== undefined
      ? callNamed(columnName(callNode), [], scope, (callNode.FuncCall.location ?? 0) + 1)
      : compile(callNode, scope);
  if (expr.steps !== undefined) throw unsupported(`${columnName(callNode)} in FROM`);
  const single = node.alias?.aliasname ?? columnName(callNode);
  const columns = expr.setColumns?.map(([name, type]) => ({ name, type, typmod: [] })) ?? [
    { name: single, type: expr.type, typmod: expr.typmod ?? [] },
  ];
  const wide = expr.setColumns !== undefined && (columns.length > 1 || expr.type === t.RECORD);
  if (expr.setColumns?.length === 1 && node.alias !== undefined)
    columns[0]!.name = node.alias.aliasname;
  if (node.ordinality) columns.push({ name: 'ordinality', type: t.INT8, typmod: [] });
  const rows = (frame: any): any[][] => {
    const value = expr.ev(frame);
    const list: any[] = expr.isSet ? value : [value];
    return list.map((item, i) => [
      ...(wide ? item : [item]),
      ...(node.ordinality ? [BigInt(i + 1)] : []),
    ]);
  };
  const entry = scope.add(single, renamed(columns, node.alias));
  return entryItem(scope, entry, new RowsSource(entry.index, rows, undefined));
}

function join(node: any, scope: Scope, before: readonly FromItem[]): FromItem {
  const left = analyseItem(node.larg, scope, before);
  const right = analyseItem(node.rarg, scope, [...before, left]);
  const using: string[] = node.isNatural
    ? left.star
        .map((column) => column.name)
        .filter((name) => right.star.some((other) => other.name === name))
    : strings(node.usingClause);
  const names = [...left.names, ...right.names];
  const star =
    using.length === 0
      ? [...left.star, ...right.star]
      : mergedStar(node.jointype, using, left, right, scope);
  // Conditions of a join see its own sides, and what stands to the left of a lateral one.
  const conditions: Conjunct[] = usingConditions(using, left, right, scope);
  if (node.quals !== undefined) {
    show(scope, [...before.filter((item) => item !== left), left, right]);
    const { clause } = scope;
    scope.clause = 'JOIN conditions';
    conditions.push(...conjuncts(node.quals, scope, 'JOIN/ON'));
    scope.clause = clause;
  }
  show(scope, []);
  const source = sourceOf(node.jointype, left.source, right.source);
  for (const condition of conditions) source.on(condition);
  if (node.jointype === 'JOIN_INNER') scope.rechecks.push(...conditions.map(({ expr }) => expr));
  if (node.alias === undefined) return { source, star, names };
  throw unsupported('an alias for a join');
}

function sourceOf(type: string, left: Source, right: Source) {
  if (type === 'JOIN_LEFT') return new LeftJoin(left, right);
  if (type === 'JOIN_RIGHT') return new LeftJoin(right, left);
  if (type === 'JOIN_FULL') return new FullJoin(left, right);
  if (type === 'JOIN_INNER') return new ListSource([left, right]);
  throw unsupported(`the join ${type}`);
}

function columnFor(name: string, item: FromItem, side: string): StarColumn {
  const found = item.star.filter((column) => column.name === name);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new SqlError(
      '42703',
      `column "${name}" specified in USING clause does not exist in ${side} table`,
    );
  }
  throw new SqlError(
    '42702',
    `common column name "${name}" appears more than once in ${side} table`,
  );
}

function usingConditions(using: readonly string[], left: FromItem, right: FromItem, scope: Scope) {
  return using.map((name) => {
    const [a, b] = [columnFor(name, left, 'left'), columnFor(name, right, 'right')];
    const entries = (column: StarColumn, item: FromItem) =>
      new Set(
        column.entry === undefined ? item.names.map((entry) => entry.index) : [column.entry.index],
      );
    const sides = [entries(a, left), entries(b, right)] as const;
    return {
      expr: binary('=', a.expr, b.expr, scope, 0),
      dependencies: new Set([...sides[0], ...sides[1]]),
      sides,
    };
  });
}

function mergedStar(
  type: string,
  using: readonly string[],
  left: FromItem,
  right: FromItem,
  scope: Scope,
): StarColumn[] {
  const rest = (item: FromItem) => item.star.filter((column) => !using.includes(column.name));
  const merged = using.map((name): StarColumn => {
    const [a, b] = [columnFor(name, left, 'left'), columnFor(name, right, 'right')];
    if (type === 'JOIN_RIGHT') return b;
    if (type !== 'JOIN_FULL') return a;
    const { type: common, exprs } = unify([a.expr, b.expr], 'JOIN/USING', scope);
    return {
      name,
      expr: { type: common, ev: (frame) => exprs[0]!.ev(frame) ?? exprs[1]!.ev(frame) },
    };
  });
  return [...merged, ...rest(left), ...rest(right)];
}
