/** ALTER TABLE. Rows are rewritten in place, under a lock that keeps everybody else out. */

import type { LockMode } from '../engine/locks.js';
import type { Column, Table } from '../engine/table.js';
import type { Steps } from '../engine/wait.js';
import { SqlError, unsupported } from '../errors.js';
import { coerce, cannotCast } from './coerce.js';
import {
  addColumn,
  addConstraint,
  bindGenerated,
  change,
  columnConstraints,
  requireNotNull,
  setDefault,
  tableExpression,
  type Making,
} from './ddl-table.js';
import { rebind } from './bindings.js';
import { compile } from './expressions.js';
import { defaultOf } from './rows.js';
import { typeOf } from './tree.js';

export function* lockTable(making: Making, table: Table, mode: LockMode): Steps<void> {
  const { db, transaction } = making.run;
  yield* db.locks.acquire(
    `relation ${table.oid}`,
    `relation ${table.oid} of database 5`,
    transaction,
    mode,
  );
}

export function* alterTable(making: Making, node: any): Steps<void> {
  const { session, transaction } = making.run;
  const { schemaname, relname } = node.relation;
  const table = session.findTable(schemaname, relname, transaction);
  if (table === undefined) {
    if (node.missing_ok)
      return session.notice('00000', `relation "${relname}" does not exist, skipping`);
    throw new SqlError('42P01', `relation "${relname}" does not exist`);
  }
  yield* lockTable(making, table, 'AccessExclusiveLock');
  for (const { AlterTableCmd: command } of node.cmds) alter(making, table, command);
}

function columnOf(table: Table, name: string): Column {
  const column = table.columns[table.column(name)];
  if (column !== undefined) return column;
  throw new SqlError('42703', `column "${name}" of relation "${table.name}" does not exist`);
}

function alter(making: Making, table: Table, command: any): void {
  switch (command.subtype) {
    case 'AT_AddColumn':
      return add(making, table, command.def.ColumnDef, command.missing_ok ?? false);
    case 'AT_DropColumn':
      return dropColumn(making, table, command);
    case 'AT_ColumnDefault': {
      const column = columnOf(table, command.name);
      change(making, column, { default: column.default, evaluate: column.evaluate });
      return setDefault(making, column, command.def);
    }
    case 'AT_SetNotNull':
      return requireNotNull(making, table, columnOf(table, command.name));
    case 'AT_DropNotNull':
      return change(making, columnOf(table, command.name), { notNull: false });
    case 'AT_AddConstraint':
      return addConstraint(making, table, command.def.Constraint);
    case 'AT_DropConstraint':
      return dropConstraint(making, table, command);
    case 'AT_AlterColumnType':
      return alterType(making, table, command);
    case 'AT_ValidateConstraint':
    case 'AT_ChangeOwner':
      return undefined;
  }
  throw unsupported(`ALTER TABLE ${command.subtype.replace('AT_', '')}`);
}

function rewrite(making: Making, table: Table, make: (values: any[]) => any[]): void {
  const before = table.tuples.map((tuple) => [tuple, tuple.v] as const);
  for (const tuple of table.tuples) tuple.v = make(tuple.v);
  making.run.db.onUndo(making.run.transaction, () => {
    for (const [tuple, values] of before) tuple.v = values;
    for (const index of table.indexes) index.rebuild();
  });
}

function add(making: Making, table: Table, node: any, ifNotExists: boolean): void {
  const { run } = making;
  if (ifNotExists && table.column(node.colname) >= 0) {
    return run.session.notice(
      '42701',
      `column "${node.colname}" of relation "${table.name}" already exists, skipping`,
    );
  }
  change(making, table, { columns: [...table.columns] });
  const column = addColumn(making, table, node);
  bindGenerated(making, table);
  rewrite(making, table, (values) => [...values, defaultOf(column, { v: values }, run)]);
  if (column.notNull) {
    column.notNull = false;
    requireNotNull(making, table, column);
  }
  for (const constraint of columnConstraints(node)) addConstraint(making, table, constraint);
}

function dropColumn(making: Making, table: Table, command: any): void {
  const { session, db, transaction } = making.run;
  const at = table.column(command.name);
  if (at < 0) {
    if (command.missing_ok)
      return session.notice(
        '00000',
        `column "${command.name}" of relation "${table.name}" does not exist, skipping`,
      );
    throw new SqlError(
      '42703',
      `column "${command.name}" of relation "${table.name}" does not exist`,
    );
  }
  const referring = table.referredBy.filter((key) => key.parentColumns.includes(command.name));
  if (referring.length > 0 && command.behavior !== 'DROP_CASCADE') {
    throw new SqlError(
      '2BP01',
      `cannot drop column ${command.name} of table ${table.name} because other objects depend on it`,
    );
  }
  for (const key of referring)
    change(making, key.child, { foreignKeys: key.child.foreignKeys.filter((one) => one !== key) });
  for (const index of table.indexes) {
    if (!index.columns.includes(command.name)) continue;
    const entry = db.find('relation', table.schema, index.name, transaction);
    if (entry !== undefined) db.drop(entry, transaction);
  }
  const uses = (expression: any) =>
    JSON.stringify(expression ?? null).includes(`{"sval":"${command.name}"}`);
  change(making, table, {
    checks: table.checks.filter((check) => !uses(check.expression)),
    indexes: table.indexes.filter(
      (index) => !index.keys.some((key) => uses(key.expression)) && !uses(index.predicate?.text),
    ),
  });
  change(making, table, {
    columns: table.columns.filter((_, i) => i !== at),
    indexes: table.indexes.filter((index) => !index.columns.includes(command.name)),
    foreignKeys: table.foreignKeys.filter((key) => !key.columns.includes(command.name)),
    referredBy: table.referredBy.filter((key) => !referring.includes(key)),
  });
  rewrite(making, table, (values) => values.filter((_, i) => i !== at));
  rebind(making, table);
}

function dropConstraint(making: Making, table: Table, command: any): void {
  const { session, db, transaction } = making.run;
  const { name } = command;
  const index = table.indexes.find((one) => one.constraint && one.name === name);
  const key = table.foreignKeys.find((one) => one.name === name);
  if (index !== undefined) {
    const entry = db.find('relation', table.schema, name, transaction);
    if (entry !== undefined) db.drop(entry, transaction);
    change(making, table, { indexes: table.indexes.filter((one) => one !== index) });
  } else if (key !== undefined) {
    change(making, table, { foreignKeys: table.foreignKeys.filter((one) => one !== key) });
    change(making, key.parent, { referredBy: key.parent.referredBy.filter((one) => one !== key) });
  } else if (table.checks.some((check) => check.name === name)) {
    change(making, table, { checks: table.checks.filter((check) => check.name !== name) });
  } else {
    const message = `constraint "${name}" of relation "${table.name}" does not exist`;
    if (!command.missing_ok) throw new SqlError('42704', message);
    session.notice('00000', `${message}, skipping`);
  }
}

function alterType(making: Making, table: Table, command: any): void {
  const { analysis, run } = making;
  const column = columnOf(table, command.name);
  const at = table.column(command.name);
  const definition = command.def.ColumnDef;
  const { type, typmod } = typeOf(definition.typeName, analysis);
  const using = definition.raw_default ?? {
    ColumnRef: { fields: [{ String: { sval: command.name } }] },
  };
  const { scope, bind } = tableExpression(making, table, using);
  const { ev } = bind(() => {
    const expr = compile(using, scope);
    const cast = coerce(
      expr,
      type,
      definition.raw_default === undefined ? 'assignment' : 'explicit',
      analysis.parameters,
      typmod,
    );
    if (cast !== undefined) return cast;
    if (definition.raw_default !== undefined) throw cannotCast(expr.type, type);
    throw new SqlError(
      '42804',
      `column "${command.name}" cannot be cast automatically to type ${type.sqlName}`,
      {
        hint: `You might need to specify "USING ${command.name}::${type.sqlName}".`,
      },
    );
  });
  const keys = [...table.foreignKeys, ...table.referredBy];
  if (keys.some((key) => [...key.columns, ...key.parentColumns].includes(command.name))) {
    throw unsupported('changing the type of a column of a foreign key');
  }
  rewrite(making, table, (values) =>
    values.map((value, i) => (i === at ? ev({ v: values }, run) : value)),
  );
  change(making, table, {
    columns: table.columns.map((one) => (one === column ? { ...column, type, typmod } : one)),
  });
  rebind(making, table);
}
