/**
 * Changes of rows: what every new version has to satisfy, and how conflicts with others end.
 */

import type { Column, Index, Slot, Table, Tuple } from '../engine/table.js';
import { holdRow, lockRow } from '../engine/row-locks.js';
import type { Steps, Wait } from '../engine/wait.js';
import type { Xact } from '../engine/transaction.js';
import { SqlError } from '../errors.js';
import { outputText } from '../functions/output.js';
import type { Type } from '../types/type.js';
import { childChanged, parentChanged } from './foreign-keys.js';
import type { Run } from './expr.js';

/** The row as error details show it. */
function shown(types: readonly { type: Type }[], values: readonly any[], run: Run): string {
  const parts = values.map((value, i) =>
    value === null ? 'null' : outputText(types[i]!.type, value, run),
  );
  return parts.map((part) => (part.length > 64 ? `${part.slice(0, 64)}...` : part)).join(', ');
}

const of = (table: Table) => ({ schema: table.schema, table: table.name });

export function defaultOf(column: Column, row: Slot, run: Run): any {
  return column.evaluate === undefined ? null : column.evaluate(row, run);
}

function complete(table: Table, values: any[], run: Run): void {
  table.columns.forEach((column, i) => {
    if (column.generated !== undefined) values[i] = defaultOf(column, { v: values }, run);
  });
  const failing = () => ({
    detail: `Failing row contains (${shown(table.columns, values, run)}).`,
    ...of(table),
  });
  for (const [i, column] of table.columns.entries()) {
    if (!column.notNull || values[i] !== null) continue;
    const place = `column "${column.name}" of relation "${table.name}"`;
    const message = `null value in ${place} violates not-null constraint`;
    throw new SqlError('23502', message, { ...failing(), column: column.name });
  }
  for (const { name, test } of table.checks) {
    if (test!({ v: values }, run) !== false) continue;
    const message = `new row for relation "${table.name}" violates check constraint "${name}"`;
    throw new SqlError('23514', message, { ...failing(), constraint: name });
  }
}

/** Whoever has to end before it is known whether there is a conflict, or the row in the way. */
type Conflict = {
  readonly index: Index;
  readonly tuple: Tuple;
  readonly pending: Xact | undefined;
};

function conflictOf(index: Index, key: string | undefined, run: Run): Conflict | undefined {
  if (key === undefined) return undefined;
  const me = run.transaction;
  for (const tuple of index.entries.get(key) ?? []) {
    const { xmin, xmax } = tuple;
    if (xmin.isAborted) continue;
    if (xmin.isActive && xmin.transaction !== me) return { index, tuple, pending: xmin };
    if (xmax === undefined || xmax.isAborted) return { index, tuple, pending: undefined };
    if (xmax.isActive && xmax.transaction !== me) return { index, tuple, pending: xmax };
  }
  return undefined;
}

function waitFor(xact: Xact, index: Index, tuple: Tuple): Wait {
  return {
    ready: () => !xact.isActive,
    blockers: () => [xact.transaction.backend],
    what: `ShareLock on transaction ${xact.transaction.id}`,
    where: `while inserting index tuple (0,${tuple.place}) in relation "${index.name}"`,
  };
}

function duplicate({ index, tuple }: Conflict, run: Run): SqlError {
  const { table } = index;
  const columns = index.keys.map((key) => key.column ?? key.label).join(', ');
  const values = shown(
    index.keys,
    index.keys.map((key) => key.of(tuple)),
    run,
  );
  return new SqlError('23505', `duplicate key value violates unique constraint "${index.name}"`, {
    detail: `Key (${columns})=(${values}) already exists.`,
    constraint: index.name,
    ...of(table),
  });
}

/**
 * Waits until it is known whether a row may have these keys.
 *
 * @param arbiters conflicts in these are given back; in others they are errors
 */
function* checkUnique(
  table: Table,
  values: any[],
  run: Run,
  arbiters: readonly Index[],
  unchanged?: Tuple,
): Steps<Tuple | undefined> {
  const unique = table.indexes.filter((index) => index.unique);
  const order = [
    ...unique.filter((index) => arbiters.includes(index)),
    ...unique.filter((index) => !arbiters.includes(index)),
  ];
  for (;;) {
    let waited = false;
    for (const index of order) {
      const key = index.keyOf({ v: values });
      if (unchanged !== undefined && index.keyOf(unchanged) === key) continue;
      const conflict = conflictOf(index, key, run);
      if (conflict === undefined) continue;
      if (conflict.pending !== undefined) {
        yield waitFor(conflict.pending, index, conflict.tuple);
        waited = true;
        break;
      }
      if (arbiters.includes(index)) return conflict.tuple;
      throw duplicate(conflict, run);
    }
    if (!waited) return undefined;
  }
}

function noteWrite(table: Table, rows: readonly Slot[], run: Run): void {
  run.transaction.wrote = true;
  const { serializable } = run.transaction;
  if (serializable === undefined) return;
  run.db.serializability.write(serializable, table);
  for (const index of table.indexes) {
    for (const row of rows) {
      const key = index.keyOf(row);
      if (key !== undefined) run.db.serializability.write(serializable, index.target(key));
    }
  }
}

/** What ON CONFLICT does with the row that is in the way. */
export interface OnConflict {
  readonly arbiters: readonly Index[];
  /** Undefined for DO NOTHING; `retry` where the row has gone in the meantime. */
  readonly update:
    ((existing: Tuple, proposed: any[]) => Steps<Tuple | 'retry' | undefined>) | undefined;
}

const notSeen = () => new SqlError('40001', 'could not serialize access due to concurrent update');

/** @returns the new row, the one that ON CONFLICT updated, or undefined where it did nothing */
export function* insertRow(
  table: Table,
  values: any[],
  run: Run,
  onConflict?: OnConflict,
): Steps<Tuple | undefined> {
  complete(table, values, run);
  for (;;) {
    const existing = yield* checkUnique(table, values, run, onConflict?.arbiters ?? []);
    if (existing === undefined) break;
    const me = run.transaction;
    if (me.isWholeSnapshot && !existing.isVisible(run.snapshot) && existing.xmin.transaction !== me)
      throw notSeen();
    if (onConflict!.update === undefined) return undefined;
    if (existing.xmin.transaction === me && existing.cmin >= run.snapshot.command) {
      throw new SqlError('21000', 'ON CONFLICT DO UPDATE command cannot affect row a second time', {
        hint:
          'Ensure that no rows proposed for insertion within the same command have ' +
          'duplicate constrained values.',
      });
    }
    const result = yield* onConflict!.update(existing, values);
    if (result !== 'retry') return result;
  }
  noteWrite(table, [{ v: values }], run);
  const tuple = table.insert(values, run.transaction.current, run.snapshot.command);
  childChanged(table, tuple, undefined, run);
  return tuple;
}

/** Whether a key that others may refer to changes: it decides how strong the lock has to be. */
function changesKey(table: Table, old: Slot, values: any[]): boolean {
  return table.indexes.some(
    (index) =>
      index.unique &&
      index.predicate === undefined &&
      index.keys.every((key) => key.column !== undefined) &&
      index.keyOf(old) !== index.keyOf({ v: values }),
  );
}

/**
 * Locks a row and gives it new values.
 *
 * @param make the values from the version that was locked; undefined when it is none of the rows to
 *   change any more
 */
export function* updateRow(
  start: Tuple,
  run: Run,
  make: (tuple: Tuple, changed: boolean) => any[] | undefined,
): Steps<Tuple | undefined> {
  const { table } = start;
  const draft = make(start, false);
  if (draft === undefined) return undefined;
  const mode = changesKey(table, start, draft) ? 'update' : 'no key update';
  const locked = yield* lockRow(start, mode, run.snapshot, 'wait', 'updating');
  if (locked === undefined) return undefined;
  const { tuple } = locked;
  const values = locked.changed ? make(tuple, true) : draft;
  if (values === undefined) return undefined;
  complete(table, values, run);
  if (mode !== 'update' && changesKey(table, tuple, values)) {
    const again = yield* lockRow(tuple, 'update', run.snapshot, 'wait', 'updating');
    if (again === undefined || again.changed) return undefined;
  }
  yield* checkUnique(table, values, run, [], tuple);
  noteWrite(table, [tuple, { v: values }], run);
  const { transaction } = run;
  const next = table.replace(tuple, values, transaction.current, run.snapshot.command)!;
  holdRow(next, mode, transaction);
  childChanged(table, next, tuple, run);
  parentChanged(table, tuple, next, run);
  return next;
}

/** @returns the version that was deleted */
export function* deleteRow(
  start: Tuple,
  run: Run,
  still: (tuple: Tuple) => boolean = () => true,
): Steps<Tuple | undefined> {
  const locked = yield* lockRow(start, 'update', run.snapshot, 'wait', 'deleting');
  if (locked === undefined || (locked.changed && !still(locked.tuple))) return undefined;
  const { tuple } = locked;
  noteWrite(tuple.table, [tuple], run);
  tuple.table.replace(tuple, undefined, run.transaction.current, run.snapshot.command);
  parentChanged(tuple.table, tuple, undefined, run);
  return tuple;
}
