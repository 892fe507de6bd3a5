/**
 * Foreign keys. They are checked when the statement is through, or at the commit when deferred: the
 * referencing side locks the row that it refers to (FOR KEY SHARE), the referenced side looks for
 * rows that refer to it.
 */

import type { ForeignKey, Index, Slot, Table, Tuple } from '../engine/table.js';
import { lockRow } from '../engine/row-locks.js';
import type { Steps } from '../engine/wait.js';
import { SqlError } from '../errors.js';
import { outputText } from '../functions/output.js';
import { Run } from './expr.js';
import { defaultOf, deleteRow, updateRow } from './rows.js';
import { lookUp } from './sources.js';

const valuesOf = (table: Table, columns: readonly string[], row: Slot): any[] =>
  columns.map((name) => row.v[table.column(name)] ?? null);

function isSame(table: Table, columns: readonly string[], a: Slot, b: Slot): boolean {
  const [x, y] = [valuesOf(table, columns, a), valuesOf(table, columns, b)];
  return columns.every((name, i) => {
    const { type } = table.columns[table.column(name)]!;
    return x[i] === null || y[i] === null ? x[i] === y[i] : type.key(x[i]) === type.key(y[i]);
  });
}

function queue(key: ForeignKey, run: Run, check: () => Steps<void>): void {
  const { transaction } = run;
  const { name: constraint, deferrable, deferred } = key;
  const waits = transaction.namedDeferred.get(constraint) ?? transaction.allDeferred ?? deferred;
  if (!deferrable || !waits) run.after.push(check);
  else transaction.deferred.push({ xact: transaction.current, constraint, check });
}

/** The same statement goes on with a command of its own, that sees what came before. */
export function nextCommand(run: Run): Run {
  const next = new Run(run.db, run.session, run.transaction, run.db.snapshot(run.transaction), []);
  return next;
}

export function* settle(run: Run): Steps<void> {
  for (let check = run.after.shift(); check !== undefined; check = run.after.shift())
    yield* check();
}

export function childChanged(table: Table, tuple: Tuple, old: Tuple | undefined, run: Run): void {
  for (const key of table.foreignKeys) {
    if (valuesOf(table, key.columns, tuple).includes(null)) continue;
    if (old !== undefined && isSame(table, key.columns, old, tuple)) continue;
    queue(key, run, () => checkParent(key, tuple, nextCommand(run)));
  }
}

function* checkParent(key: ForeignKey, child: Tuple, run: Run): Steps<void> {
  if (child.isDeleted || child.xmin.isAborted) return;
  const values = valuesOf(key.child, key.columns, child);
  const index = keyIndex(key);
  const order = index.columns.map((name) => key.parentColumns.indexOf(name!));
  for (const parent of lookUp(index, index.encode(order.map((at) => values[at])), run)) {
    const locked = yield* lockRow(parent, 'key share', run.snapshot);
    if (locked !== undefined && isSame(key.parent, key.parentColumns, parent, locked.tuple)) return;
  }
  const shown = shownKey(key.child, key.columns, child, run);
  throw new SqlError(
    '23503',
    `insert or update on table "${key.child.name}" violates foreign key constraint "${key.name}"`,
    {
      detail: `Key ${shown} is not present in table "${key.parent.name}".`,
      schema: key.child.schema,
      table: key.child.name,
      constraint: key.name,
    },
  );
}

function shownKey(table: Table, columns: readonly string[], row: Slot, run: Run): string {
  const values = valuesOf(table, columns, row).map((value, i) =>
    outputText(table.columns[table.column(columns[i]!)]!.type, value, run),
  );
  return `(${columns.join(', ')})=(${values.join(', ')})`;
}

/** The unique index that a foreign key refers to. */
export function keyIndex(key: Pick<ForeignKey, 'parent' | 'parentColumns'>): Index {
  const wanted = [...key.parentColumns].sort().join();
  const index = key.parent.indexes.find(
    (one) => one.unique && one.predicate === undefined && [...one.columns].sort().join() === wanted,
  );
  if (index !== undefined) return index;
  throw new SqlError(
    '42830',
    `there is no unique constraint matching given keys for referenced table "${key.parent.name}"`,
  );
}

export function parentChanged(table: Table, old: Tuple, next: Tuple | undefined, run: Run): void {
  for (const key of table.referredBy) {
    if (valuesOf(table, key.parentColumns, old).includes(null)) continue;
    if (next !== undefined && isSame(table, key.parentColumns, old, next)) continue;
    const action = next === undefined ? key.onDelete : key.onUpdate;
    const check = () => actOnChildren(key, action, old, next, nextCommand(run));
    // Actions are never deferred, the check that nothing refers to the row may be.
    if (action === 'a') queue(key, run, check);
    else run.after.push(check);
  }
}

function* actOnChildren(
  key: ForeignKey,
  action: ForeignKey['onDelete'],
  old: Tuple,
  next: Tuple | undefined,
  run: Run,
): Steps<void> {
  const children = referring(key, old, run);
  if (children.length === 0) return;
  if (action === 'a' || action === 'r') {
    if (action === 'a' && isThereAgain(key, old, run)) return;
    const shown = shownKey(key.parent, key.parentColumns, old, run);
    throw new SqlError(
      '23503',
      `update or delete on table "${key.parent.name}" violates foreign key constraint "${key.name}" on table "${key.child.name}"`,
      {
        detail: `Key ${shown} is still referenced from table "${key.child.name}".`,
        schema: key.child.schema,
        table: key.child.name,
        constraint: key.name,
      },
    );
  }
  for (const child of children) {
    if (action === 'c' && next === undefined) {
      yield* deleteRow(child, run);
      continue;
    }
    yield* updateRow(child, run, (tuple) => {
      const values = [...tuple.v];
      key.columns.forEach((name, i) => {
        const at = key.child.column(name);
        if (action === 'c') values[at] = valuesOf(key.parent, [key.parentColumns[i]!], next!)[0];
        else values[at] = action === 'n' ? null : defaultOf(key.child.columns[at]!, tuple, run);
      });
      return values;
    });
  }
  yield* settle(run);
}

/** Rows that refer to it, as of now, whatever the transaction's snapshot sees. */
function referring(key: ForeignKey, parent: Tuple, run: Run): Tuple[] {
  const wanted = valuesOf(key.parent, key.parentColumns, parent);
  const now = run.db.latest(run.transaction);
  const found = key.child.tuples.filter((tuple) => {
    if (!tuple.isVisible(now)) return false;
    const values = valuesOf(key.child, key.columns, tuple);
    return values.every((value, i) => {
      const { type } = key.parent.columns[key.parent.column(key.parentColumns[i]!)]!;
      return value !== null && type.compare(value, wanted[i]) === 0;
    });
  });
  if (run.transaction.isWholeSnapshot && found.some((tuple) => !tuple.isVisible(run.snapshot))) {
    throw new SqlError('40001', 'could not serialize access due to concurrent update');
  }
  return found;
}

/** Another row may have taken the key in the meantime. */
function isThereAgain(key: ForeignKey, old: Tuple, run: Run): boolean {
  const index = keyIndex(key);
  const encoded = index.keyOf(old);
  return lookUp(index, encoded, run).some((tuple) => tuple !== old);
}
