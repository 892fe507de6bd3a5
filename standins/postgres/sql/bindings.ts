/** What is written over the columns of a table: conditions and keys of indexes, bound to it. */

import type { Column, Index, IndexKey, Table } from '../engine/table.js';
import * as t from '../types/types.js';
import { bindGenerated, change, columnKey, tableExpression, type Making } from './ddl-table.js';
import { compile, compileAs } from './expressions.js';
import { columnName, strings } from './tree.js';

/** A condition over the columns of a table. */
function bindCondition(making: Making, table: Table, node: any) {
  const { scope, bind } = tableExpression(making, table, node);
  scope.clause = 'check constraints';
  return bind(() => compileAs(node, scope, t.BOOL, 'CHECK')).ev;
}

export function predicateOf(making: Making, table: Table, text: any): Index['predicate'] {
  const test = bindCondition(making, table, text);
  const { run } = making;
  return { text, test: (row) => test(row, run) === true };
}

export function expressionKey(making: Making, table: Table, expression: any): IndexKey {
  const { scope, bind } = tableExpression(making, table, expression);
  const { type, ev } = bind(() => compile(expression, scope));
  const argument = expression.FuncCall?.args?.[0]?.ColumnRef;
  const label = argument && `${columnName(expression)}(${strings(argument.fields).at(-1)})`;
  const { run } = making;
  return { column: undefined, label: label ?? 'expr', type, expression, of: (row) => ev(row, run) };
}

/** Analyses anew what was written over the columns, when these have moved or changed. */
export function rebind(making: Making, table: Table): void {
  const checks = table.checks.map((check) => ({
    ...check,
    test: bindCondition(making, table, check.expression),
  }));
  change(making, table, { checks });
  for (const column of table.columns) {
    if (column.generated !== undefined) change(making, column, { evaluate: undefined });
  }
  bindGenerated(making, table);
  for (const index of table.indexes) {
    const keys = index.keys.map((key) =>
      key.column === undefined
        ? expressionKey(making, table, key.expression)
        : columnKey(table, key.column),
    );
    const text = index.predicate?.text;
    const predicate = text && predicateOf(making, table, text);
    change<any>(making, index, { keys, predicate });
    index.rebuild();
  }
}

export function renameColumn(making: Making, table: Table, column: Column, name: string): void {
  const old = column.name;
  const other = (one: string) => (one === old ? name : one);
  change(making, column, { name });
  const checks = table.checks.map((check) => ({
    ...check,
    expression: renamed(check.expression, old, name),
  }));
  change(making, table, { checks });
  for (const one of table.columns) {
    if (one.generated === undefined) continue;
    change(making, one, { generated: renamed(one.generated, old, name) });
  }
  for (const index of table.indexes) {
    const keys = index.keys.map((key) => {
      if (key.column !== undefined) return columnKey(table, other(key.column));
      return { ...key, expression: renamed(key.expression, old, name) };
    });
    const { predicate } = index;
    const text = predicate && renamed(predicate.text, old, name);
    change<any>(making, index, { keys, predicate: predicate && { ...predicate, text } });
  }
  for (const key of table.foreignKeys)
    change<any>(making, key, { columns: key.columns.map(other) });
  for (const key of table.referredBy) {
    change<any>(making, key, { parentColumns: key.parentColumns.map(other) });
  }
  rebind(making, table);
}

/** A parse tree with another name for a column. */
function renamed(node: any, old: string, name: string): any {
  if (Array.isArray(node)) return node.map((part) => renamed(part, old, name));
  if (typeof node !== 'object' || node === null) return node;
  if (node.ColumnRef === undefined) {
    const parts = Object.entries(node).map(([key, part]) => [key, renamed(part, old, name)]);
    return Object.fromEntries(parts);
  }
  const { fields } = node.ColumnRef;
  if (fields.at(-1).String?.sval !== old) return node;
  const last = { String: { sval: name } };
  return { ColumnRef: { ...node.ColumnRef, fields: [...fields.slice(0, -1), last] } };
}
