/** INSERT, UPDATE and DELETE. */

import type { Column, Slot, Table, Tuple } from '../engine/table.js';
import { lockRow } from '../engine/row-locks.js';
import type { Steps } from '../engine/wait.js';
import { SqlError, unsupported } from '../errors.js';
import { coerce } from './coerce.js';
import { conjuncts } from './conjuncts.js';
import { Frame, type Expr, type OutputColumn, type Plan, type Run } from './expr.js';
import { compile, compileAs, keyOf } from './expressions.js';
import { analyseFrom, tableNamed } from './from.js';
import { planQuery, planWith, waitingPlan } from './query.js';
import { defaultOf, deleteRow, insertRow, updateRow, type OnConflict } from './rows.js';
import { compileTargets } from './select.js';
import { Scope, type Analysis } from './scope.js';
import { ListSource, TableSource } from './sources.js';
import * as t from '../types/types.js';
import { kindOf } from './tree.js';

/** How many rows it was, for the command tag. */
export const AFFECTED = Symbol('affected');

export function planModify(node: any, analysis: Analysis, parent: Scope | undefined): Plan {
  const kind = kindOf(node);
  const scope = new Scope(analysis, parent);
  const body = node[kind];
  planWith(body.withClause, scope);
  if (kind === 'InsertStmt') return planInsert(body, scope);
  if (kind === 'UpdateStmt') return planUpdate(body, scope);
  if (kind === 'DeleteStmt') return planDelete(body, scope);
  throw unsupported(kind.replace('Stmt', '').toUpperCase());
}

function targetTable(relation: any, scope: Scope): Table {
  const table = tableNamed(relation, scope);
  if (table.view !== undefined) throw unsupported(`changing the view "${table.name}"`);
  scope.analysis.uses(table, 'RowExclusiveLock');
  return table;
}

function columnAt(table: Table, name: string, location: number): number {
  const at = table.column(name);
  if (at >= 0) return at;
  throw new SqlError('42703', `column "${name}" of relation "${table.name}" does not exist`, {
    position: location + 1,
  });
}

/** An expression as a value for a column. */
function assign(expr: Expr, column: Column, scope: Scope, location = 0): Expr {
  const cast = coerce(expr, column.type, 'assignment', scope.analysis.parameters, column.typmod);
  if (cast !== undefined) return cast;
  throw new SqlError(
    '42804',
    `column "${column.name}" is of type ${column.type.sqlName} but expression is of type ${expr.type.sqlName}`,
    { hint: 'You will need to rewrite or cast the expression.', position: location + 1 },
  );
}

interface Returning {
  readonly columns: readonly OutputColumn[];
  row(frame: Frame): any[] | undefined;
}

function planReturning(node: any, scope: Scope): Returning {
  const list = node?.exprs ?? node;
  if (list === undefined) return { columns: [], row: () => undefined };
  const targets = compileTargets(list, scope);
  const columns = targets.map(({ name, expr }): OutputColumn => ({
    name,
    type: expr.type,
    typmod: expr.typmod ?? [],
  }));
  return { columns, row: (frame) => targets.map(({ expr }) => expr.ev(frame)) };
}

/** The plan of a change: its rows are those of RETURNING, and it counts what it changed. */
function changing(
  returning: Returning,
  scope: Scope,
  change: (run: Run, parent: Frame | undefined, report: (frame: Frame) => void) => Steps<void>,
): Plan {
  return waitingPlan(returning.columns, scope, function* (run, parent) {
    const rows: any[][] & { [AFFECTED]?: number } = [];
    let count = 0;
    yield* change(run, parent, (frame) => {
      count += 1;
      const row = returning.row(frame);
      if (row !== undefined) rows.push(row);
    });
    rows[AFFECTED] = count;
    return rows;
  });
}

function planInsert(node: any, scope: Scope): Plan {
  const table = targetTable(node.relation, scope);
  const entry = scope.add(node.relation.alias?.aliasname ?? table.name, table.columns, table);
  const named: number[] | undefined = node.cols?.map(({ ResTarget: target }: any) => {
    if (target.indirection !== undefined) throw unsupported('assigning to a part of a column');
    return columnAt(table, target.name, target.location ?? 0);
  });
  if (named !== undefined && new Set(named).size < named.length) {
    throw new SqlError('42701', 'column specified more than once');
  }
  const ats = named ?? table.columns.map((_, i) => i);
  const source = planInsertRows(node, table, ats, named !== undefined, scope);
  const override = node.override ?? 'OVERRIDING_NOT_SET';
  const onConflict =
    node.onConflictClause && planOnConflict(node.onConflictClause, table, entry.alias, scope);
  scope.names = [entry];
  scope.star = scope.starOf(entry);
  const returning = planReturning(node.returningClause ?? node.returningList, scope);
  return changing(returning, scope, function* (run, parent, report) {
    const base = new Frame(run, parent);
    for (const given of yield* source(run, parent)) {
      const values = table.columns.map((): any => undefined);
      ats.forEach((at, i) => (values[at] = given[i]));
      table.columns.forEach((column, at) => {
        if (column.identity === 'd' && override === 'OVERRIDING_USER_VALUE') values[at] = undefined;
        checkGenerated(column, values[at], override);
        if (values[at] === undefined)
          values[at] = column.generated === undefined ? defaultOf(column, { v: [] }, run) : null;
      });
      const tuple = yield* insertRow(table, values, run, onConflict?.(base));
      if (tuple === undefined) continue;
      const frame = base.at([]);
      frame.slots[entry.index] = tuple;
      report(frame);
    }
  });
}

function checkGenerated(column: Column, value: any, override: string): void {
  const always = column.identity === 'a' && override !== 'OVERRIDING_SYSTEM_VALUE';
  if (value === undefined || (!always && column.generated === undefined)) return;
  throw new SqlError('428C9', `cannot insert a non-DEFAULT value into column "${column.name}"`, {
    detail: always
      ? `Column "${column.name}" is an identity column defined as GENERATED ALWAYS.`
      : `Column "${column.name}" is a generated column.`,
    ...(always && { hint: 'Use OVERRIDING SYSTEM VALUE to override.' }),
  });
}

/** The rows to insert; undefined stands for DEFAULT. */
function planInsertRows(
  node: any,
  table: Table,
  ats: readonly number[],
  named: boolean,
  scope: Scope,
) {
  const select = node.selectStmt?.SelectStmt;
  if (select === undefined)
    return function* (): Steps<any[][]> {
      return [[]];
    };
  const tooMany = (width: number) => {
    if (width > ats.length)
      throw new SqlError('42601', 'INSERT has more expressions than target columns');
    if (named && width < ats.length)
      throw new SqlError('42601', 'INSERT has more target columns than expressions');
  };
  const columns = ats.map((at) => table.columns[at]!);
  if (
    select.valuesLists !== undefined &&
    select.sortClause === undefined &&
    select.limitCount === undefined
  ) {
    // The names of the table are not to be seen here.
    const inner = new Scope(scope.analysis, scope);
    planWith(select.withClause, inner);
    const lists: (Expr | undefined)[][] = select.valuesLists.map(({ List }: any) => {
      tooMany(List.items.length);
      return List.items.map((item: any, i: number) => {
        if (item.SetToDefault !== undefined) return undefined;
        return assign(compile(item, inner), columns[i]!, inner, item[kindOf(item)].location);
      });
    });
    return function* (run: Run, parent: Frame | undefined): Steps<any[][]> {
      const frame = new Frame(run, new Frame(run, parent));
      return lists.map((list) => list.map((expr) => expr?.ev(frame)));
    };
  }
  const plan = planQuery(
    node.selectStmt,
    scope.analysis,
    scope,
    columns.map((column) => column.type),
  );
  tooMany(plan.columns.length);
  let row: any[] = [];
  const casts = plan.columns.map((column, i) =>
    assign({ type: column.type, typmod: column.typmod, ev: () => row[i] }, columns[i]!, scope),
  );
  return function* (run: Run, parent: Frame | undefined): Steps<any[][]> {
    const frame = new Frame(run, parent);
    const rows = yield* plan.steps(run, frame);
    return rows.map((values) => {
      row = values;
      return casts.map((cast) => cast.ev(frame));
    });
  };
}

function planOnConflict(
  node: any,
  table: Table,
  alias: string,
  scope: Scope,
): (base: Frame) => OnConflict {
  const arbiters = arbitersOf(node.infer, table);
  if (node.action === 'ONCONFLICT_NOTHING') return () => ({ arbiters, update: undefined });
  if (node.infer === undefined) {
    throw new SqlError(
      '42601',
      'ON CONFLICT DO UPDATE requires inference specification or constraint name',
    );
  }
  const inner = new Scope(scope.analysis, scope);
  const target = inner.add(alias, table.columns, table);
  const excluded = inner.add('excluded', table.columns);
  inner.names = [target, excluded];
  inner.star = inner.starOf(target);
  const sets = planSets(node.targetList, table, inner);
  const where = node.whereClause && compileAs(node.whereClause, inner, t.BOOL, 'WHERE');
  return (base) => ({
    arbiters,
    *update(existing, proposed) {
      const { run } = base;
      const frame = new Frame(run, base);
      const put = (tuple: Tuple) => (frame.slots = [tuple, { v: proposed } as Slot]);
      put(existing);
      const locked = yield* lockRow(existing, 'no key update', run.snapshot);
      if (locked === undefined || locked.changed) return 'retry';
      if (where !== undefined && where.ev(frame) !== true) return undefined;
      return yield* updateRow(existing, run, (tuple) => {
        put(tuple);
        return sets(frame, tuple);
      });
    },
  });
}

function arbitersOf(infer: any, table: Table) {
  const unique = table.indexes.filter((index) => index.unique);
  if (infer === undefined) return unique;
  if (infer.conname !== undefined) {
    const index = unique.find((one) => one.name === infer.conname);
    if (index !== undefined) return [index];
    throw new SqlError(
      '42704',
      `constraint "${infer.conname}" for table "${table.name}" does not exist`,
    );
  }
  const wanted = infer.indexElems
    .map(({ IndexElem: element }: any) => {
      if (element.name !== undefined) columnAt(table, element.name, infer.location ?? 0);
      return element.name ?? keyOf(element.expr);
    })
    .sort()
    .join();
  const found = unique.filter((index) => {
    const keys = index.keys
      .map((key) => key.column ?? keyOf(key.expression))
      .sort()
      .join();
    const partial =
      index.predicate === undefined ||
      (infer.whereClause !== undefined && keyOf(index.predicate.text) === keyOf(infer.whereClause));
    return keys === wanted && partial;
  });
  if (found.length > 0) return found;
  throw new SqlError(
    '42P10',
    'there is no unique or exclusion constraint matching the ON CONFLICT specification',
  );
}

/** SET: the new values of a row. */
function planSets(
  nodes: readonly any[],
  table: Table,
  scope: Scope,
): (frame: Frame, old: Tuple) => any[] {
  const sets: { at: number; value: (frame: Frame) => any }[] = [];
  const groups = new Map<any, Plan>();
  for (const { ResTarget: target } of nodes) {
    if (target.indirection !== undefined) throw unsupported('assigning to a part of a column');
    const at = columnAt(table, target.name, target.location ?? 0);
    if (sets.some((set) => set.at === at))
      throw new SqlError('42601', `multiple assignments to same column "${target.name}"`);
    const column = table.columns[at]!;
    if (target.val.SetToDefault !== undefined) {
      sets.push({
        at,
        value: (frame) => (column.generated ? null : defaultOf(column, { v: [] }, frame.run)),
      });
      continue;
    }
    if (column.generated !== undefined || column.identity === 'a') {
      throw new SqlError('428C9', `column "${column.name}" can only be updated to DEFAULT`, {
        detail: `Column "${column.name}" is ${generation(column)}.`,
      });
    }
    const multi = target.val.MultiAssignRef;
    const expr = multi === undefined ? compile(target.val, scope) : part(multi, groups, scope);
    const cast = assign(expr, column, scope, target.location);
    sets.push({ at, value: (frame) => cast.ev(frame) });
  }
  return (frame, old) => {
    const values = [...old.v];
    for (const { at, value } of sets) values[at] = value(frame);
    return values;
  };
}

const generation = ({ generated }: Column) =>
  generated ? 'a generated column' : 'an identity column defined as GENERATED ALWAYS';

/** One value of `SET (a, b) = …`. */
function part(multi: any, groups: Map<any, Plan>, scope: Scope): Expr {
  const i = (multi.colno ?? 1) - 1;
  const items = multi.source.RowExpr?.args;
  if (items !== undefined) return compile(items[i], scope);
  const { subselect } = multi.source.SubLink ?? {};
  if (subselect === undefined) throw unsupported('this assignment of several columns');
  const key = JSON.stringify(subselect);
  let plan = groups.get(key);
  if (plan === undefined) groups.set(key, (plan = planQuery(subselect, scope.analysis, scope)));
  const chosen = plan;
  return {
    type: chosen.columns[i]!.type,
    ev: (frame) => chosen.rows(frame.run, frame)[0]?.[i] ?? null,
  };
}

/** The rows to change, joined with FROM or USING, and how to look at one of them again. */
function planTargets(
  table: Table,
  relation: any,
  others: any[] | undefined,
  whereClause: any,
  scope: Scope,
) {
  const entry = scope.add(relation.alias?.aliasname ?? table.name, table.columns, table);
  const own = new TableSource(entry.index, table);
  const rest = others === undefined ? undefined : analyseFrom(others, scope);
  if (scope.names.some((other) => other.alias === entry.alias)) {
    throw new SqlError('42712', `table name "${entry.alias}" specified more than once`);
  }
  scope.names = [entry, ...scope.names];
  scope.star = [...scope.starOf(entry), ...scope.star];
  if (whereClause?.CurrentOfExpr !== undefined) throw unsupported('WHERE CURRENT OF');
  const where = whereClause === undefined ? [] : conjuncts(whereClause, scope, 'WHERE');
  const source = new ListSource(rest === undefined ? [own] : [own, rest]);
  for (const condition of where) source.accept(condition);
  const conditions = [...where.map(({ expr }) => expr), ...scope.rechecks];
  return {
    entry,
    frames(run: Run, parent: Frame | undefined): Frame[] {
      const frame = new Frame(run, parent);
      const frames: Frame[] = [];
      source.scan(frame, () => frames.push(frame.at(frame.slots.slice())));
      return frames;
    },
    holds: (frame: Frame) => conditions.every((condition) => condition.ev(frame) === true),
  };
}

function planUpdate(node: any, scope: Scope): Plan {
  const table = targetTable(node.relation, scope);
  const { entry, frames, holds } = planTargets(
    table,
    node.relation,
    node.fromClause,
    node.whereClause,
    scope,
  );
  const sets = planSets(node.targetList, table, scope);
  const returning = planReturning(node.returningClause ?? node.returningList, scope);
  return changing(returning, scope, function* (run, parent, report) {
    for (const frame of frames(run, parent)) {
      const updated = yield* updateRow(frame.slots[entry.index] as Tuple, run, (tuple, changed) => {
        frame.slots[entry.index] = tuple;
        return changed && !holds(frame) ? undefined : sets(frame, tuple);
      });
      if (updated === undefined) continue;
      frame.slots[entry.index] = updated;
      report(frame);
    }
  });
}

function planDelete(node: any, scope: Scope): Plan {
  const table = targetTable(node.relation, scope);
  const { entry, frames, holds } = planTargets(
    table,
    node.relation,
    node.usingClause,
    node.whereClause,
    scope,
  );
  const returning = planReturning(node.returningClause ?? node.returningList, scope);
  return changing(returning, scope, function* (run, parent, report) {
    for (const frame of frames(run, parent)) {
      const deleted = yield* deleteRow(frame.slots[entry.index] as Tuple, run, (tuple) => {
        frame.slots[entry.index] = tuple;
        return holds(frame);
      });
      if (deleted === undefined) continue;
      frame.slots[entry.index] = deleted;
      report(frame);
    }
  });
}
