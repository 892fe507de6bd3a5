/**
 * What information_schema says of constraints: those of primary and unique keys, foreign keys and
 * checks, and the columns that each of them is about.
 */

import type { ForeignAction, ForeignKey, Table } from '../engine/table.js';
import type { Run } from '../sql/expr.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { table, tables, type SystemTable } from './system-table.js';

const { NAME, INT4, VARCHAR } = t;

const RULES: Record<ForeignAction, string> = {
  a: 'NO ACTION',
  r: 'RESTRICT',
  c: 'CASCADE',
  n: 'SET NULL',
  d: 'SET DEFAULT',
};

const yes = (value: boolean): string => (value ? 'YES' : 'NO');

const nameOf = (run: Run, one: Table, name: string) => ({
  constraint_catalog: run.db.name,
  constraint_schema: one.schema,
  constraint_name: name,
});

const placeOf = (run: Run, one: Table) => ({
  table_catalog: run.db.name,
  table_schema: one.schema,
  table_name: one.name,
});

/** Primary and unique keys. */
const keys = (one: Table) => one.indexes.filter((index) => index.constraint);

/** The key of the parent that a foreign key refers to. */
function referred({ parent, parentColumns }: ForeignKey) {
  return parent.indexes.find(
    ({ unique, columns }) =>
      unique &&
      columns.length === parentColumns.length &&
      parentColumns.every((name) => columns.includes(name)),
  );
}

function constraintsOf(run: Run, one: Table): Record<string, any>[] {
  const row = (name: string, type: string, deferrable = false, deferred = false) => ({
    ...nameOf(run, one, name),
    ...placeOf(run, one),
    constraint_type: type,
    is_deferrable: yes(deferrable),
    initially_deferred: yes(deferred),
    enforced: 'YES',
  });
  return [
    ...keys(one).map(({ name, primary }) => row(name, primary ? 'PRIMARY KEY' : 'UNIQUE')),
    ...one.foreignKeys.map((key) => row(key.name, 'FOREIGN KEY', key.deferrable, key.deferred)),
    ...one.checks.map(({ name }) => row(name, 'CHECK')),
  ];
}

function columnsOfKeys(run: Run, one: Table): Record<string, any>[] {
  const row = (name: string, column: string | undefined, i: number) => ({
    ...nameOf(run, one, name),
    ...placeOf(run, one),
    column_name: column,
    ordinal_position: i + 1,
  });
  return [
    ...keys(one).flatMap(({ name, columns }) => columns.map((column, i) => row(name, column, i))),
    ...one.foreignKeys.flatMap((key) =>
      key.columns.map((column, i) => {
        const at = referred(key)?.columns.indexOf(key.parentColumns[i]) ?? i;
        return { ...row(key.name, column, i), position_in_unique_constraint: at + 1 };
      }),
    ),
  ];
}

/** Of a foreign key those that it refers to; checks are left out. */
function columnsUsed(run: Run, one: Table): Record<string, any>[] {
  const rows = (name: string, of: Table, columns: readonly (string | undefined)[]) =>
    columns.map((column) => ({
      ...nameOf(run, one, name),
      ...placeOf(run, of),
      column_name: column,
    }));
  return [
    ...keys(one).flatMap(({ name, columns }) => rows(name, one, columns)),
    ...one.foreignKeys.flatMap(({ name, parent, parentColumns }) =>
      rows(name, parent, parentColumns),
    ),
  ];
}

function references(run: Run, one: Table): Record<string, any>[] {
  return one.foreignKeys.map((key) => ({
    ...nameOf(run, one, key.name),
    unique_constraint_catalog: run.db.name,
    unique_constraint_schema: key.parent.schema,
    unique_constraint_name: referred(key)?.name,
    match_option: 'NONE',
    update_rule: RULES[key.onUpdate],
    delete_rule: RULES[key.onDelete],
  }));
}

const named = { constraint_catalog: NAME, constraint_schema: NAME, constraint_name: NAME };
const placed = { table_catalog: NAME, table_schema: NAME, table_name: NAME };

const view = (
  columns: Record<string, Type>,
  of: (run: Run, one: Table) => Record<string, any>[],
): SystemTable => table(columns, (run) => tables(run).flatMap((one) => of(run, one)));

export const constraintViews: Record<string, SystemTable> = {
  table_constraints: view(
    {
      ...named,
      ...placed,
      constraint_type: VARCHAR,
      is_deferrable: VARCHAR,
      initially_deferred: VARCHAR,
      enforced: VARCHAR,
    },
    constraintsOf,
  ),
  key_column_usage: view(
    {
      ...named,
      ...placed,
      column_name: NAME,
      ordinal_position: INT4,
      position_in_unique_constraint: INT4,
    },
    columnsOfKeys,
  ),
  constraint_column_usage: view({ ...placed, column_name: NAME, ...named }, columnsUsed),
  referential_constraints: view(
    {
      ...named,
      unique_constraint_catalog: NAME,
      unique_constraint_schema: NAME,
      unique_constraint_name: NAME,
      match_option: VARCHAR,
      update_rule: VARCHAR,
      delete_rule: VARCHAR,
    },
    references,
  ),
};
