/** CREATE TABLE and the parts of it that ALTER TABLE shares: columns, constraints, indexes. */

import {
  Index,
  Table,
  type Check,
  type Column,
  type ForeignAction,
  type IndexKey,
  type Slot,
} from '../engine/table.js';
import { Sequence } from '../engine/sequence.js';
import { SqlError, unsupported } from '../errors.js';
import { outputText } from '../functions/output.js';
import * as t from '../types/types.js';
import { coerce } from './coerce.js';
import { Frame, type Run } from './expr.js';
import { compile, compileAs } from './expressions.js';
import { keyIndex } from './foreign-keys.js';
import { Scope, type Analysis } from './scope.js';
import { constantOf, SERIALS, strings, typeOf } from './tree.js';

/** What a definition is made in. */
export interface Making {
  readonly analysis: Analysis;
  readonly run: Run;
}

export function createRelation(
  making: Making,
  schema: string,
  name: string,
  object: any,
  kind: string,
): void {
  const { db, transaction } = making.run;
  if (db.find('schema', '', schema, transaction) === undefined) {
    throw new SqlError('3F000', `schema "${schema}" does not exist`);
  }
  if (db.find('relation', schema, name, transaction) !== undefined) {
    throw new SqlError('42P07', `relation "${name}" already exists`);
  }
  db.create({ what: 'relation', schema, name, object: { kind, object } as any }, transaction);
}

/** A name that is not taken: PostgreSQL counts from 1 behind the name. */
export function freeName(making: Making, schema: string, base: string): string {
  const { db, transaction } = making.run;
  for (let i = 0; ; i += 1) {
    const name = i === 0 ? base : `${base}${i}`;
    if (db.find('relation', schema, name, transaction) === undefined) return name;
  }
}

export function sequenceOptions(
  nodes: readonly any[] | undefined,
  type = t.INT8,
  old?: Sequence['options'],
) {
  const given = new Map<string, any>(
    (nodes ?? []).map(({ DefElem: option }) => [option.defname, option.arg]),
  );
  const number = (name: string) => {
    const value = constantOf(given.get(name));
    return value === undefined ? undefined : BigInt(value);
  };
  const increment = number('increment') ?? old?.increment ?? 1n;
  const limit = type === t.INT2 ? 32_767n : type === t.INT4 ? 2_147_483_647n : 2n ** 63n - 1n;
  const max = number('maxvalue') ?? old?.max ?? (increment > 0n ? limit : -1n);
  const min = number('minvalue') ?? old?.min ?? (increment > 0n ? 1n : -limit - 1n);
  const start = number('start') ?? old?.start ?? (increment > 0n ? min : max);
  const cycle = given.has('cycle')
    ? constantOf(given.get('cycle')) === true
    : (old?.cycle ?? false);
  return { increment, min, max, start, cycle };
}

function makeSequence(
  making: Making,
  table: Table,
  column: Column,
  options?: readonly any[],
): void {
  const { db } = making.run;
  const name = freeName(making, table.schema, `${table.name}_${column.name}_seq`);
  const owner = { table, column: column.name };
  const sequence = new Sequence(
    db.newOid(),
    table.schema,
    name,
    sequenceOptions(options, column.type),
    owner,
  );
  createRelation(making, table.schema, name, sequence, 'sequence');
  column.evaluate = (_, run) => t.fitInteger(column.type, run.session.nextval(sequence));
  const literal = { A_Const: { sval: { sval: `${table.schema}.${name}` } } };
  column.default = { FuncCall: { funcname: [{ String: { sval: 'nextval' } }], args: [literal] } };
  column.notNull = true;
}

/** The default as a closure; it is analysed once, when the column is made. */
export function setDefault(making: Making, column: Column, node: any): void {
  column.default = node;
  column.evaluate = undefined;
  if (node === undefined) return;
  const scope = new Scope(making.analysis, undefined);
  scope.clause = 'DEFAULT expressions';
  const expr = compile(node, scope);
  const cast = coerce(expr, column.type, 'assignment', making.analysis.parameters, column.typmod);
  if (cast === undefined) {
    const [own, given] = [column.type.sqlName, expr.type.sqlName];
    const message = `column "${column.name}" is of type ${own} but default expression is `;
    throw new SqlError('42804', `${message}of type ${given}`, {
      hint: 'You will need to rewrite or cast the expression.',
    });
  }
  column.evaluate = (_, run) => cast.ev(new Frame(run, undefined));
}

/** An expression over the columns of one table. */
export function tableExpression(making: Making, table: Table, node: any) {
  const scope = new Scope(making.analysis, undefined);
  const entry = scope.add(table.name, table.columns, table);
  scope.names = [entry];
  scope.star = scope.starOf(entry);
  const used = new Set<string>();
  return {
    scope,
    used,
    bind(make: () => { ev(frame: Frame): any; type: any }) {
      const expr = make();
      for (const { column } of scope.bare) used.add(table.columns[column]!.name);
      const ev = (row: Slot, run: Run) => {
        const frame = new Frame(run, undefined);
        frame.slots = [row];
        return expr.ev(frame);
      };
      return { type: expr.type, ev };
    },
    node,
  };
}

export function addColumn(making: Making, table: Table, node: any): Column {
  const { analysis } = making;
  if (table.column(node.colname) >= 0) {
    throw new SqlError(
      '42701',
      `column "${node.colname}" of relation "${table.name}" already exists`,
    );
  }
  const serial = SERIALS[strings(node.typeName.names).at(-1)!];
  const { type, typmod } =
    serial === undefined ? typeOf(node.typeName, analysis) : { type: serial, typmod: [] };
  const column: Column = {
    name: node.colname,
    type,
    typmod,
    notNull: false,
    default: undefined,
    identity: '',
    generated: undefined,
  };
  table.columns.push(column);
  if (serial !== undefined) makeSequence(making, table, column);
  for (const { Constraint: constraint } of node.constraints ?? []) {
    switch (constraint.contype) {
      case 'CONSTR_NOTNULL':
        column.notNull = true;
        break;
      case 'CONSTR_NULL':
        break;
      case 'CONSTR_DEFAULT':
        setDefault(making, column, constraint.raw_expr);
        break;
      case 'CONSTR_IDENTITY':
        column.identity = constraint.generated_when;
        makeSequence(making, table, column, constraint.options);
        column.default = undefined;
        break;
      case 'CONSTR_GENERATED': {
        column.generated = constraint.raw_expr;
        break;
      }
    }
  }
  return column;
}

/** Constraints written at a column are those of the table with that column. */
export function columnConstraints(node: any): any[] {
  return withAttributes(node.constraints ?? []).flatMap((constraint) => {
    const key = { String: { sval: node.colname } };
    if (/PRIMARY|UNIQUE/.test(constraint.contype)) return [{ ...constraint, keys: [key] }];
    if (constraint.contype === 'CONSTR_FOREIGN') return [{ ...constraint, fk_attrs: [key] }];
    return constraint.contype === 'CONSTR_CHECK' ? [constraint] : [];
  });
}

/** DEFERRABLE and INITIALLY DEFERRED stand behind the constraint that they are about. */
function withAttributes(nodes: readonly any[]): any[] {
  const constraints: any[] = [];
  for (const { Constraint: node } of nodes) {
    const last = constraints.length - 1;
    const attributes = ATTRIBUTES[node.contype as string];
    if (attributes === undefined) constraints.push(node);
    else constraints[last] = { ...constraints[last], ...attributes };
  }
  return constraints;
}

const ATTRIBUTES: Readonly<Record<string, object>> = {
  CONSTR_ATTR_DEFERRABLE: { deferrable: true },
  CONSTR_ATTR_DEFERRED: { deferrable: true, initdeferred: true },
  CONSTR_ATTR_NOT_DEFERRABLE: {},
  CONSTR_ATTR_IMMEDIATE: {},
};

export function bindGenerated(making: Making, table: Table): void {
  for (const column of table.columns) {
    if (column.generated === undefined || column.evaluate !== undefined) continue;
    const { scope, bind } = tableExpression(making, table, column.generated);
    const { ev } = bind(() =>
      coerce(
        compile(column.generated, scope),
        column.type,
        'assignment',
        making.analysis.parameters,
        column.typmod,
      )!,
    );
    column.evaluate = ev;
  }
}

export function addConstraint(making: Making, table: Table, node: any): void {
  switch (node.contype) {
    case 'CONSTR_PRIMARY':
    case 'CONSTR_UNIQUE':
      return addUnique(making, table, node);
    case 'CONSTR_CHECK':
      return addCheck(making, table, node);
    case 'CONSTR_FOREIGN':
      return addForeignKey(making, table, node);
  }
  throw unsupported(`the constraint ${node.contype.replace('CONSTR_', '')}`);
}

function columnsNamed(table: Table, names: readonly string[]): void {
  for (const name of names) {
    if (table.column(name) < 0)
      throw new SqlError('42703', `column "${name}" named in key does not exist`);
  }
}

function addUnique(making: Making, table: Table, node: any): void {
  if (node.deferrable || node.initdeferred) throw unsupported('a deferrable unique constraint');
  if (node.nulls_not_distinct) throw unsupported('NULLS NOT DISTINCT');
  if (node.indexname !== undefined) throw unsupported('USING INDEX');
  const names = strings(node.keys);
  columnsNamed(table, names);
  const primary = node.contype === 'CONSTR_PRIMARY';
  if (primary) {
    if (table.primary !== undefined) {
      throw new SqlError(
        '42P16',
        `multiple primary keys for table "${table.name}" are not allowed`,
      );
    }
    for (const name of names) requireNotNull(making, table, table.columns[table.column(name)]!);
  }
  const base = primary ? `${table.name}_pkey` : `${table.name}_${names.join('_')}_key`;
  const name = node.conname ?? freeName(making, table.schema, base);
  addIndex(
    making,
    table,
    name,
    names.map((column) => columnKey(table, column)),
    { unique: true, primary, constraint: true },
  );
}

export function requireNotNull(making: Making, table: Table, column: Column): void {
  if (column.notNull) return;
  const at = table.column(column.name);
  const now = making.run.db.latest(making.run.transaction);
  if (table.tuples.some((tuple) => tuple.isVisible(now) && (tuple.v[at] ?? null) === null)) {
    throw new SqlError(
      '23502',
      `column "${column.name}" of relation "${table.name}" contains null values`,
      {
        schema: table.schema,
        table: table.name,
        column: column.name,
      },
    );
  }
  change(making, column, { notNull: true });
}

/** Changes properties of something in the catalog, and takes it back on a rollback. */
export function change<T extends object>(making: Making, object: T, changes: Partial<T>): void {
  const before: any = {};
  for (const key of Object.keys(changes)) before[key] = (object as any)[key];
  Object.assign(object, changes);
  making.run.db.onUndo(making.run.transaction, () => Object.assign(object, before));
}

export function columnKey(table: Table, name: string): IndexKey {
  const at = table.column(name);
  if (at < 0) throw new SqlError('42703', `column "${name}" does not exist`);
  return {
    column: name,
    label: name,
    type: table.columns[at]!.type,
    expression: undefined,
    // Columns before it may be dropped.
    of: (row) => row.v[table.column(name)] ?? null,
  };
}

export function addIndex(
  making: Making,
  table: Table,
  name: string,
  keys: readonly IndexKey[],
  options: {
    unique: boolean;
    primary: boolean;
    constraint: boolean;
    predicate?: Index['predicate'];
  },
): void {
  const { db } = making.run;
  const index = new Index(
    db.newOid(),
    name,
    table,
    keys,
    options.unique,
    options.primary,
    options.constraint,
    options.predicate,
  );
  createRelation(making, table.schema, name, index, 'index');
  index.rebuild();
  if (options.unique) checkDuplicates(making, index);
  change(making, table, { indexes: [...table.indexes, index] });
}

function checkDuplicates(making: Making, index: Index): void {
  const now = making.run.db.latest(making.run.transaction);
  for (const bucket of index.entries.values()) {
    const live = bucket.filter((tuple) => tuple.isVisible(now));
    if (live.length < 2) continue;
    const values = index.keys
      .map((key) => outputText(key.type, key.of(live[0]!), making.run))
      .join(', ');
    throw new SqlError('23505', `could not create unique index "${index.name}"`, {
      detail: `Key (${index.keys.map((key) => key.label).join(', ')})=(${values}) is duplicated.`,
      schema: index.table.schema,
      table: index.table.name,
      constraint: index.name,
    });
  }
}

function addCheck(making: Making, table: Table, node: any): void {
  const { scope, bind, used } = tableExpression(making, table, node.raw_expr);
  scope.clause = 'check constraints';
  const { ev } = bind(() => compileAs(node.raw_expr, scope, t.BOOL, 'CHECK'));
  const base = used.size === 1 ? `${table.name}_${[...used][0]}_check` : `${table.name}_check`;
  const check: Check = {
    name: node.conname ?? freeConstraint(table, base),
    expression: node.raw_expr,
    test: ev,
  };
  if (!node.skip_validation) {
    const now = making.run.db.latest(making.run.transaction);
    if (table.tuples.some((tuple) => tuple.isVisible(now) && ev(tuple, making.run) === false)) {
      throw new SqlError(
        '23514',
        `check constraint "${check.name}" of relation "${table.name}" is violated by some row`,
        {
          schema: table.schema,
          table: table.name,
          constraint: check.name,
        },
      );
    }
  }
  change(making, table, { checks: [...table.checks, check] });
}

function freeConstraint(table: Table, base: string): string {
  const taken = new Set(
    [...table.checks, ...table.foreignKeys, ...table.indexes].map((one) => one.name),
  );
  for (let i = 0; ; i += 1) {
    const name = i === 0 ? base : `${base}${i}`;
    if (!taken.has(name)) return name;
  }
}

function addForeignKey(making: Making, table: Table, node: any): void {
  if (node.fk_matchtype === 'f') throw unsupported('MATCH FULL');
  const { session, transaction } = making.run;
  const { schemaname, relname } = node.pktable;
  const isSelf = relname === table.name && (schemaname ?? table.schema) === table.schema;
  const parent = isSelf ? table : session.findTable(schemaname, relname, transaction);
  if (parent === undefined) throw new SqlError('42P01', `relation "${relname}" does not exist`);
  const columns = strings(node.fk_attrs);
  for (const name of columns) {
    if (table.column(name) < 0)
      throw new SqlError(
        '42703',
        `column "${name}" referenced in foreign key constraint does not exist`,
      );
  }
  const primary = parent.primary?.columns as string[] | undefined;
  const parentColumns = node.pk_attrs === undefined ? primary : strings(node.pk_attrs);
  if (parentColumns === undefined) {
    throw new SqlError('42704', `there is no primary key for referenced table "${relname}"`);
  }
  for (const name of parentColumns) {
    if (parent.column(name) < 0)
      throw new SqlError(
        '42703',
        `column "${name}" referenced in foreign key constraint does not exist`,
      );
  }
  const key = {
    name: node.conname ?? freeConstraint(table, `${table.name}_${columns.join('_')}_fkey`),
    child: table,
    columns,
    parent,
    parentColumns,
    onUpdate: (node.fk_upd_action || 'a') as ForeignAction,
    onDelete: (node.fk_del_action || 'a') as ForeignAction,
    deferrable: node.deferrable ?? false,
    deferred: node.initdeferred ?? false,
  };
  keyIndex(key);
  const now = making.run.db.latest(transaction);
  const index = keyIndex(key);
  const order = index.columns.map((name) => columns[parentColumns.indexOf(name!)]!);
  for (const tuple of table.tuples) {
    if (!tuple.isVisible(now)) continue;
    const encoded = index.encode(order.map((name) => tuple.v[table.column(name)] ?? null));
    if (encoded === undefined || index.entries.get(encoded)?.some((found) => found.isVisible(now)))
      continue;
    throw new SqlError(
      '23503',
      `insert or update on table "${table.name}" violates foreign key constraint "${key.name}"`,
      {
        schema: table.schema,
        table: table.name,
        constraint: key.name,
      },
    );
  }
  change(making, table, { foreignKeys: [...table.foreignKeys, key] });
  change(making, parent, { referredBy: [...parent.referredBy, key] });
}

export function createTable(making: Making, node: any): void {
  const { run } = making;
  const { relation } = node;
  if (relation.relpersistence === 't') throw unsupported('a temporary table');
  if (node.partspec !== undefined || node.partbound !== undefined)
    throw unsupported('a partitioned table');
  if (node.inhRelations !== undefined) throw unsupported('INHERITS');
  const schema = relation.schemaname ?? run.session.creationSchema();
  if (
    node.if_not_exists &&
    run.db.find('relation', schema, relation.relname, run.transaction) !== undefined
  ) {
    run.session.notice('42P07', `relation "${relation.relname}" already exists, skipping`);
    return;
  }
  const table = new Table(run.db.newOid(), schema, relation.relname, []);
  createRelation(making, schema, relation.relname, table, 'table');
  const constraints: any[] = [];
  for (const element of node.tableElts ?? []) {
    if (element.ColumnDef !== undefined) {
      addColumn(making, table, element.ColumnDef);
      constraints.push(...columnConstraints(element.ColumnDef));
    } else if (element.Constraint !== undefined) constraints.push(element.Constraint);
    else throw unsupported('LIKE in CREATE TABLE');
  }
  bindGenerated(making, table);
  // Foreign keys last: they may refer to a key of the same table.
  const rank = (constraint: any) =>
    constraint.contype === 'CONSTR_PRIMARY' ? 0 : constraint.contype === 'CONSTR_FOREIGN' ? 2 : 1;
  for (const constraint of constraints.sort((a, b) => rank(a) - rank(b)))
    addConstraint(making, table, constraint);
}
