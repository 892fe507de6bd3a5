/**
 * SELECT: rows of FROM that pass WHERE, put in groups, sorted, locked, and made into columns.
 */

import type { Tuple } from '../engine/table.js';
import type { RowLockMode } from '../engine/table.js';
import { lockRow, type WaitPolicy } from '../engine/row-locks.js';
import type { Steps } from '../engine/wait.js';
import { SqlError, unsupported } from '../errors.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { coerce } from './coerce.js';
import { conjuncts } from './conjuncts.js';
import {
  Frame,
  type Expr,
  type OutputColumn,
  type Plan,
  type RangeEntry,
  type Run,
} from './expr.js';
import { compile, compileAs, keyOf, settle } from './expressions.js';
import { analyseFrom } from './from.js';
import { limits, rowKey, simplePlan, waitingPlan } from './query.js';
import { columnExpr, type Scope } from './scope.js';
import { NO_ROW } from './sources.js';
import { compareBy, sortKeys } from './sorting.js';
import { columnName, strings } from './tree.js';

interface Target {
  readonly name: string;
  readonly expr: Expr;
  readonly node: any;
}

interface RowLocking {
  readonly entries: readonly RangeEntry[];
  readonly mode: RowLockMode;
  readonly policy: WaitPolicy;
}

const STRENGTH: Record<string, RowLockMode> = {
  LCS_FORKEYSHARE: 'key share',
  LCS_FORSHARE: 'share',
  LCS_FORNOKEYUPDATE: 'no key update',
  LCS_FORUPDATE: 'update',
};
const POLICY: Record<string, WaitPolicy> = {
  LockWaitBlock: 'wait',
  LockWaitSkip: 'skip',
  LockWaitError: 'nowait',
};

export function planSelect(
  select: any,
  scope: Scope,
  wanted?: readonly (Type | undefined)[],
): Plan {
  const source = analyseFrom(select.fromClause ?? [], scope);
  const where =
    select.whereClause === undefined ? [] : conjuncts(select.whereClause, scope, 'WHERE');
  const constantConditions = source.isEmpty ? where.map(({ expr }) => expr) : [];
  if (!source.isEmpty) for (const condition of where) source.accept(condition);
  for (const { WindowDef: definition } of select.windowClause ?? [])
    scope.windowClauses.set(definition.name, definition);
  const grouping = planGroups(select, scope);
  const bareBefore = scope.bare.length;
  scope.aggregatesAllowed = true;
  const targets = compileTargets(select.targetList ?? [], scope, wanted);
  const having = select.havingClause && compileAs(select.havingClause, scope, t.BOOL, 'HAVING');
  const compileOrder = (node: any) => orderItem(node, targets, scope);
  const order = sortKeys(select.sortClause ?? [], compileOrder, scope);
  const on = (select.distinctClause ?? [])
    .filter((item: any) => kindOfItem(item) !== undefined)
    .map((item: any) => compileOrder(item));
  scope.aggregatesAllowed = false;
  const grouped = scope.aggregates.length > 0 || grouping.length > 0 || having !== undefined;
  if (grouped) checkBare(scope, grouping, bareBefore);
  const limit = limits(select, scope);
  const locking = planLocking(select.lockingClause, scope);
  if (locking.length > 0 && (grouped || select.distinctClause !== undefined)) {
    const what = grouped ? 'GROUP BY clause' : 'DISTINCT clause';
    throw new SqlError('0A000', `FOR UPDATE is not allowed with ${what}`);
  }
  const sets = targets.filter(({ expr }) => expr.isSet);
  const columns = targets.map(({ name, expr }): OutputColumn => ({
    name,
    type: expr.type,
    typmod: expr.typmod ?? [],
    ...sourceOf(expr, scope),
  }));

  const collect = (run: Run, parent: Frame | undefined): Frame[] => {
    const frame = new Frame(run, parent);
    if (!constantConditions.every((condition) => condition.ev(frame) === true))
      return grouped ? groups([], frame) : [];
    const found: Frame[] = [];
    source.scan(frame, () => found.push(frame.at(frame.slots.slice())));
    return grouped ? groups(found, frame) : found;
  };
  const groups = (frames: readonly Frame[], empty: Frame): Frame[] => {
    const map = new Map<string, Frame[]>();
    for (const frame of frames) {
      const key = rowKey(
        grouping.map((expr) => expr.ev(frame)),
        grouping.map((expr) => expr.type),
      );
      const group = map.get(key);
      if (group === undefined) map.set(key, [frame]);
      else group.push(frame);
    }
    if (grouping.length === 0 && map.size === 0) map.set('', []);
    const result: Frame[] = [];
    for (const group of map.values()) {
      const frame = empty.at(group[0]?.slots ?? scope.entries.map(() => NO_ROW));
      frame.aggregates = scope.aggregates.map((aggregate) => aggregate.value(group, empty.run));
      if (having === undefined || having.ev(frame) === true) result.push(frame);
    }
    return result;
  };
  const prepare = (run: Run, parent: Frame | undefined): Frame[] => {
    let frames = collect(run, parent);
    for (const window of scope.windows) window(frames, run);
    if (order.length > 0 && sets.length === 0) frames = compareBy(frames, order);
    return frames;
  };
  const project = (frame: Frame): any[] => targets.map(({ expr }) => expr.ev(frame));
  const finishRows = (frames: Frame[], run: Run, parent: Frame | undefined): any[][] => {
    const outer = new Frame(run, parent);
    if (sets.length > 0)
      return limit(expandSets(frames, targets, order, select.distinctClause !== undefined), outer);
    if (select.distinctClause === undefined) return limit(frames, outer).map(project);
    const seen = new Set<string>();
    const rows: any[][] = [];
    for (const frame of frames) {
      const row = project(frame);
      const keys = on.length > 0 ? on.map((expr: Expr) => expr.ev(frame)) : row;
      const key = rowKey(
        keys,
        on.length > 0 ? on.map((expr: Expr) => expr.type) : columns.map((column) => column.type),
      );
      if (seen.has(key)) continue;
      seen.add(key);
      rows.push(row);
    }
    return limit(rows, outer);
  };
  const waiting = targets.filter(({ expr }) => expr.steps !== undefined);
  if (locking.length === 0 && waiting.length === 0) {
    return simplePlan(columns, scope, (run, parent) =>
      finishRows(prepare(run, parent), run, parent),
    );
  }
  const conditions = [...constantConditions, ...where.map(({ expr }) => expr), ...scope.rechecks];
  const recheck = (frame: Frame) => conditions.every((condition) => condition.ev(frame) === true);
  return waitingPlan(columns, scope, function* (run, parent): Steps<any[][]> {
    const frames = prepare(run, parent);
    const [from, to] = limit.range(new Frame(run, parent));
    const rows: any[][] = [];
    let count = 0;
    for (const frame of frames) {
      if (count >= to) break;
      if (!(yield* lockFrame(frame, locking, run, recheck))) continue;
      count += 1;
      if (count <= from) continue;
      const row: any[] = [];
      for (const { expr } of targets)
        row.push(expr.steps === undefined ? expr.ev(frame) : yield* expr.steps(frame));
      rows.push(row);
    }
    return rows;
  });
}

/** @returns whether the row is still one of the result */
function* lockFrame(
  frame: Frame,
  locking: readonly RowLocking[],
  run: Run,
  recheck: (frame: Frame) => boolean,
): Steps<boolean> {
  let changed = false;
  for (const { entries, mode, policy } of locking) {
    for (const { index } of entries) {
      const tuple = frame.slots[index]!;
      if (tuple === NO_ROW) continue;
      const locked = yield* lockRow(tuple as Tuple, mode, run.snapshot, policy);
      if (locked === undefined) return false;
      run.transaction.wrote = true;
      if (!locked.changed) continue;
      changed = true;
      frame.slots[index] = locked.tuple;
    }
  }
  return !changed || recheck(frame);
}

const kindOfItem = (item: any) => Object.keys(item ?? {})[0];

function planGroups(select: any, scope: Scope): Expr[] {
  scope.clause = 'GROUP BY';
  const groups = new Map<string, Expr>();
  const exprs = (select.groupClause ?? []).map((node: any) => {
    if (node.GroupingSet !== undefined) throw unsupported('GROUPING SETS, ROLLUP and CUBE');
    let item = node;
    const position = node.A_Const?.ival?.ival;
    const targets: any[] = (select.targetList ?? []).map(({ ResTarget }: any) => ResTarget);
    if (position !== undefined) {
      const target = targets[position - 1];
      if (target === undefined)
        throw new SqlError('42P10', `GROUP BY position ${position} is not in select list`);
      item = target.val;
    } else if (
      node.ColumnRef?.fields.length === 1 &&
      node.ColumnRef.fields[0].String !== undefined
    ) {
      // A column of FROM comes before an output column of that name.
      const name = node.ColumnRef.fields[0].String.sval;
      if (!scope.star.some((column) => column.name === name)) {
        item = targets.find((target) => target.name === name)?.val ?? node;
      }
    }
    const expr = settle(compile(item, scope), scope);
    groups.set(keyOf(item), expr);
    return expr;
  });
  scope.clause = 'WHERE';
  if (exprs.length > 0) scope.groups = groups;
  return exprs;
}

/** Columns outside of aggregates have to be grouped by, or depend on a primary key that is. */
function checkBare(scope: Scope, grouping: readonly Expr[], from: number): void {
  const isGrouped = (entry: number, column: number) =>
    grouping.some((expr) => expr.column?.entry === entry && expr.column.column === column);
  for (const { entry, column, position } of scope.bare.slice(from)) {
    if (isGrouped(entry.index, column)) continue;
    const primary = entry.table?.primary?.columns.map((name) => entry.table!.column(name!));
    if (primary?.every((key) => isGrouped(entry.index, key))) continue;
    const name = `${entry.alias}.${entry.columns[column]!.name}`;
    throw new SqlError(
      '42803',
      `column "${name}" must appear in the GROUP BY clause or be used in an aggregate function`,
      { position },
    );
  }
}

export function compileTargets(
  nodes: readonly any[],
  scope: Scope,
  wanted?: readonly (Type | undefined)[],
): Target[] {
  const targets: Target[] = [];
  for (const { ResTarget: target } of nodes) {
    const fields = target.val.ColumnRef?.fields;
    if (fields?.at(-1).A_Star !== undefined) {
      targets.push(...expandStar(fields, target.val.ColumnRef.location ?? 0, scope));
      continue;
    }
    const expr = compile(target.val, scope);
    const type = wanted?.[targets.length];
    const open = expr.type === t.UNKNOWN;
    const fitted = !open
      ? expr
      : type !== undefined
        ? (coerce(expr, type, 'implicit', scope.analysis.parameters) ?? expr)
        : wanted === undefined
          ? settle(expr, scope)
          : expr;
    targets.push({ name: target.name ?? columnName(target.val), expr: fitted, node: target.val });
  }
  return targets;
}

function expandStar(fields: any[], location: number, scope: Scope): Target[] {
  const path = strings(fields.slice(0, -1));
  if (path.length > 0) {
    const { entry, level } = scope.entryNamed(path.at(-1)!, location + 1);
    return entry.columns.map((column, i) => {
      if (level === 0) scope.bare.push({ entry, column: i, position: location + 1 });
      scope.dependencies?.add(entry.index);
      return { name: column.name, expr: columnExpr(entry, i, level), node: undefined };
    });
  }
  if (scope.star.length === 0)
    throw new SqlError('42601', 'SELECT * with no tables specified is not valid');
  return scope.star.map(({ name, expr, entry, column }) => {
    if (entry !== undefined) scope.bare.push({ entry, column: column!, position: location + 1 });
    return { name, expr, node: undefined };
  });
}

function orderItem(node: any, targets: readonly Target[], scope: Scope): Expr {
  const position = node.A_Const?.ival?.ival;
  if (position !== undefined) {
    const target = targets[position - 1];
    if (target === undefined)
      throw new SqlError('42P10', `ORDER BY position ${position} is not in select list`);
    return target.expr;
  }
  const fields = node.ColumnRef?.fields;
  if (fields?.length === 1 && fields[0].String !== undefined) {
    const named = targets.filter((target) => target.name === fields[0].String.sval);
    if (
      named.length > 1 &&
      named.some(({ node: other }) => other === undefined || keyOf(other) !== keyOf(named[0]!.node))
    ) {
      throw new SqlError('42702', `ORDER BY "${fields[0].String.sval}" is ambiguous`);
    }
    if (named.length > 0) return named[0]!.expr;
  }
  const key = keyOf(node);
  const same = targets.find((target) => target.node !== undefined && keyOf(target.node) === key);
  return same?.expr ?? compile(node, scope);
}

function planLocking(nodes: any[] | undefined, scope: Scope): RowLocking[] {
  return (nodes ?? []).map(({ LockingClause: clause }) => {
    const names: string[] | undefined = clause.lockedRels?.map((rel: any) => rel.RangeVar.relname);
    for (const name of names ?? []) {
      if (scope.names.some((entry) => entry.alias === name)) continue;
      throw new SqlError(
        '42P01',
        `relation "${name}" in FOR UPDATE clause not found in FROM clause`,
      );
    }
    const chosen = scope.names.filter((entry) => names?.includes(entry.alias) ?? true);
    if (chosen.some((entry) => entry.table === undefined)) {
      if (names !== undefined) throw unsupported('FOR UPDATE of a subquery');
    }
    const entries = chosen.filter((entry) => entry.table !== undefined);
    for (const { table } of entries) scope.analysis.uses(table!, 'RowShareLock');
    return { entries, mode: STRENGTH[clause.strength]!, policy: POLICY[clause.waitPolicy]! };
  });
}

function sourceOf(expr: Expr, scope: Scope): Pick<OutputColumn, 'source'> {
  const table = expr.column && scope.entries[expr.column.entry]?.table;
  return table === undefined
    ? {}
    : { source: { table: table.oid, column: expr.column!.column + 1 } };
}

/** Functions in the select list that give several rows: side by side, filled up with NULL. */
function expandSets(
  frames: readonly Frame[],
  targets: readonly Target[],
  order: ReturnType<typeof sortKeys>,
  distinct: boolean,
): any[][] {
  const rows = frames.flatMap((frame) => {
    const values = targets.map(({ expr }) => expr.ev(frame));
    const count = Math.max(...targets.map(({ expr }, i) => (expr.isSet ? values[i].length : 0)));
    return Array.from({ length: count }, (_, n) =>
      values.map((value, i) => (targets[i]!.expr.isSet ? (value[n] ?? null) : value)),
    );
  });
  const unique = distinct
    ? [
        ...new Map(
          rows.map((row) => [
            rowKey(
              row,
              targets.map(({ expr }) => expr.type),
            ),
            row,
          ]),
        ).values(),
      ]
    : rows;
  if (order.length === 0) return unique;
  const ats = order.map((key) => targets.findIndex((target) => target.expr === key.expr));
  if (ats.includes(-1))
    throw unsupported(
      'ORDER BY something else than a column of the select list, with functions that give rows,',
    );
  return unique.sort((a, b) => {
    for (const [i, { expr, descending, nullsFirst }] of order.entries()) {
      const [x, y] = [a[ats[i]!], b[ats[i]!]];
      if (x === null || y === null) {
        if (x !== y) return (x === null) === nullsFirst ? -1 : 1;
        continue;
      }
      const cmp = expr.type.compare(x, y);
      if (cmp !== 0) return descending ? -cmp : cmp;
    }
    return 0;
  });
}
