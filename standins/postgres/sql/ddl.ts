/** Statements that change the catalog, other than CREATE TABLE itself. */

import type { Entry, Relation } from '../engine/database.js';
import { Table, type Column, type Index } from '../engine/table.js';
import { Sequence } from '../engine/sequence.js';
import type { Steps } from '../engine/wait.js';
import { SqlError, unsupported } from '../errors.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { alterTable, lockTable } from './alter.js';
import { expressionKey, predicateOf, renameColumn } from './bindings.js';

import {
  addIndex,
  change,
  columnKey,
  createRelation,
  createTable,
  freeName,
  sequenceOptions,
  type Making,
} from './ddl-table.js';
import { planQuery } from './query.js';
import { columnName, kindOf, strings } from './tree.js';

/** @returns the command tag */
export function* runDdl(node: any, making: Making): Steps<string> {
  const kind = kindOf(node);
  const body = node[kind];
  making.run.transaction.wrote = true;
  switch (kind) {
    case 'CreateStmt':
      createTable(making, body);
      return 'CREATE TABLE';
    case 'IndexStmt':
      yield* createIndex(making, body);
      return 'CREATE INDEX';
    case 'ViewStmt':
      createView(making, body);
      return 'CREATE VIEW';
    case 'CreateSeqStmt':
      createSequence(making, body);
      return 'CREATE SEQUENCE';
    case 'AlterSeqStmt':
      alterSequence(making, body);
      return 'ALTER SEQUENCE';
    case 'CreateEnumStmt':
      createEnum(making, body);
      return 'CREATE TYPE';
    case 'AlterEnumStmt':
      alterEnum(making, body);
      return 'ALTER TYPE';
    case 'CreateSchemaStmt':
      createSchema(making, body);
      return 'CREATE SCHEMA';
    case 'CreateExtensionStmt':
      if (/^(pgcrypto|uuid-ossp|plpgsql)$/.test(body.extname)) return 'CREATE EXTENSION';
      throw unsupported(`the extension ${body.extname}`);
    case 'CommentStmt':
      return 'COMMENT';
    case 'AlterTableStmt':
      yield* alterTable(making, body);
      return 'ALTER TABLE';
    case 'RenameStmt':
      return yield* rename(making, body);
    case 'DropStmt':
      return yield* drop(making, body);
    case 'TruncateStmt':
      yield* truncate(making, body);
      return 'TRUNCATE TABLE';
  }
  throw unsupported(STATEMENTS[kind] ?? kind.replace(/Stmt$/, ''));
}

/** Names for what is refused. */
const STATEMENTS: Record<string, string> = {
  CreateFunctionStmt: 'CREATE FUNCTION',
  CreateTrigStmt: 'CREATE TRIGGER',
  DoStmt: 'DO',
  CreateTableAsStmt: 'CREATE TABLE AS',
  ExplainStmt: 'EXPLAIN',
  GrantStmt: 'GRANT',
  CopyStmt: 'COPY',
  MergeStmt: 'MERGE',
  CallStmt: 'CALL',
  RuleStmt: 'CREATE RULE',
  CreateDomainStmt: 'CREATE DOMAIN',
  CompositeTypeStmt: 'CREATE TYPE AS',
  CreateRoleStmt: 'CREATE ROLE',
  CreatedbStmt: 'CREATE DATABASE',
  DeclareCursorStmt: 'DECLARE',
  FetchStmt: 'FETCH',
};

function tableOf(making: Making, relation: any, what = 'relation'): Table {
  const table = making.run.session.findTable(
    relation.schemaname,
    relation.relname,
    making.run.transaction,
  );
  if (table !== undefined) return table;
  throw new SqlError('42P01', `${what} "${relation.relname}" does not exist`);
}

function* createIndex(making: Making, node: any): Steps<void> {
  const table = tableOf(making, node.relation);
  if (node.nulls_not_distinct) throw unsupported('NULLS NOT DISTINCT');
  yield* lockTable(making, table, 'ShareLock');
  const elements: any[] = node.indexParams.map(({ IndexElem: element }: any) => element);
  const names = elements.map(
    (element) => element.name ?? (element.expr.FuncCall ? columnName(element.expr) : 'expr'),
  );
  const name =
    node.idxname ?? freeName(making, table.schema, `${table.name}_${names.join('_')}_idx`);
  if (
    node.if_not_exists &&
    making.run.db.find('relation', table.schema, name, making.run.transaction)
  ) {
    making.run.session.notice('42P07', `relation "${name}" already exists, skipping`);
    return;
  }
  const keys = elements.map((element) => {
    if (element.name !== undefined) return columnKey(table, element.name);
    return expressionKey(making, table, element.expr);
  });
  const test = node.whereClause && predicateOf(making, table, node.whereClause);
  addIndex(making, table, name, keys, {
    unique: node.unique ?? false,
    primary: false,
    constraint: false,
    predicate: test,
  });
}

function createView(making: Making, node: any): void {
  const { analysis, run } = making;
  if (node.view.relpersistence === 't') throw unsupported('a temporary view');
  const plan = planQuery(node.query, analysis, undefined);
  const aliases = strings(node.aliases);
  const columns = plan.columns.map((column, i): Column => ({
    name: aliases[i] ?? column.name,
    type: column.type,
    typmod: column.typmod,
    notNull: false,
    default: undefined,
    identity: '',
    generated: undefined,
  }));
  const schema = node.view.schemaname ?? run.session.creationSchema();
  const name: string = node.view.relname;
  const existing = run.db.find('relation', schema, name, run.transaction);
  if (existing !== undefined && node.replace) {
    if ((existing.object as Relation).kind !== 'view')
      throw new SqlError('42809', `"${name}" is not a view`);
    run.db.drop(existing, run.transaction);
  }
  const view = new Table(run.db.newOid(), schema, name, columns, node.query);
  createRelation(making, schema, name, view, 'view');
}

function createSequence(making: Making, node: any): void {
  const { run } = making;
  const schema = node.sequence.schemaname ?? run.session.creationSchema();
  const name: string = node.sequence.relname;
  if (node.if_not_exists && run.db.find('relation', schema, name, run.transaction)) {
    run.session.notice('42P07', `relation "${name}" already exists, skipping`);
    return;
  }
  const sequence = new Sequence(
    run.db.newOid(),
    schema,
    name,
    sequenceOptions(node.options),
    undefined,
  );
  createRelation(making, schema, name, sequence, 'sequence');
}

function alterSequence(making: Making, node: any): void {
  const { session, transaction } = making.run;
  const found = session.findRelation(node.sequence.schemaname, node.sequence.relname, transaction);
  if (found?.kind !== 'sequence')
    throw new SqlError('42P01', `relation "${node.sequence.relname}" does not exist`);
  const { object: sequence } = found;
  change(making, sequence, { options: sequenceOptions(node.options, t.INT8, sequence.options) });
  const restart = (node.options ?? []).find(
    ({ DefElem: option }: any) => option.defname === 'restart',
  )?.DefElem;
  if (restart !== undefined)
    sequence.set(BigInt(restart.arg?.Integer?.ival ?? sequence.options.start), false);
}

function createEnum(making: Making, node: any): void {
  const { db, session, transaction } = making.run;
  const path = strings(node.typeName);
  const [name, schema = session.creationSchema()] = path.reverse() as [string, string?];
  if (db.find('type', schema, name, transaction))
    throw new SqlError('42710', `type "${name}" already exists`);
  const object = t.enumType(name, [db.newOid(), db.newOid()], strings(node.vals));
  db.create({ what: 'type', schema, name, object }, transaction);
}

function alterEnum(making: Making, node: any): void {
  const { db, session, transaction } = making.run;
  const [name, schema] = strings(node.typeName).reverse() as [string, string?];
  const type = db.typeNamed(
    name,
    schema === undefined ? session.searchPath : [schema],
    transaction,
  );
  const labels = type?.labels;
  if (labels === undefined) throw new SqlError('42704', `type "${name}" does not exist`);
  if (node.oldVal !== undefined) throw unsupported('ALTER TYPE … RENAME VALUE');
  if (labels.includes(node.newVal)) {
    if (node.skipIfNewValExists) return;
    throw new SqlError('42710', `enum label "${node.newVal}" already exists`);
  }
  const at =
    node.newValNeighbor === undefined
      ? labels.length
      : labels.indexOf(node.newValNeighbor) + Number(node.newValIsAfter ?? false);
  labels.splice(at, 0, node.newVal);
  db.onUndo(transaction, () => labels.splice(labels.indexOf(node.newVal), 1));
}

function createSchema(making: Making, node: any): void {
  const { db, session, transaction } = making.run;
  if (node.schemaElts !== undefined) throw unsupported('CREATE SCHEMA with elements');
  if (db.find('schema', '', node.schemaname, transaction)) {
    if (!node.if_not_exists)
      throw new SqlError('42P06', `schema "${node.schemaname}" already exists`);
    return session.notice('42P06', `schema "${node.schemaname}" already exists, skipping`);
  }
  db.create(
    { what: 'schema', schema: '', name: node.schemaname, object: { oid: db.newOid() } },
    transaction,
  );
}

function* rename(making: Making, node: any): Steps<string> {
  const { run } = making;
  const table = tableOf(making, node.relation);
  if (node.renameType === 'OBJECT_COLUMN') {
    yield* lockTable(making, table, 'AccessExclusiveLock');
    const column = table.columns[table.column(node.subname)];
    if (column === undefined)
      throw new SqlError('42703', `column "${node.subname}" does not exist`);
    if (table.column(node.newname) >= 0)
      throw new SqlError(
        '42701',
        `column "${node.newname}" of relation "${table.name}" already exists`,
      );
    renameColumn(making, table, column, node.newname);
    return 'ALTER TABLE';
  }
  if (node.renameType !== 'OBJECT_TABLE') throw unsupported('this kind of RENAME');
  yield* lockTable(making, table, 'AccessExclusiveLock');
  const entry = run.db.find('relation', table.schema, table.name, run.transaction)!;
  run.db.drop(entry, run.transaction);
  change(making, table, { name: node.newname });
  createRelation(making, table.schema, node.newname, table, 'table');
  return 'ALTER TABLE';
}

const KINDS: Record<string, [kind: string, what: string, code: string]> = {
  OBJECT_TABLE: ['table', 'TABLE', '42P01'],
  OBJECT_VIEW: ['view', 'VIEW', '42P01'],
  OBJECT_INDEX: ['index', 'INDEX', '42704'],
  OBJECT_SEQUENCE: ['sequence', 'SEQUENCE', '42P01'],
};

function* drop(making: Making, node: any): Steps<string> {
  const { session, transaction } = making.run;
  const cascade = node.behavior === 'DROP_CASCADE';
  if (node.removeType === 'OBJECT_TYPE') {
    for (const object of node.objects)
      dropType(making, strings(object.TypeName.names), node.missing_ok);
    return 'DROP TYPE';
  }
  if (node.removeType === 'OBJECT_SCHEMA') {
    for (const object of node.objects)
      dropSchema(making, object.String.sval, node.missing_ok, cascade);
    return 'DROP SCHEMA';
  }
  if (node.removeType === 'OBJECT_EXTENSION') return 'DROP EXTENSION';
  const known = KINDS[node.removeType];
  if (known === undefined) throw unsupported(`DROP ${node.removeType.replace('OBJECT_', '')}`);
  const [kind, what, code] = known;
  for (const object of node.objects) {
    const [name, schema] = strings(object.List.items).reverse() as [string, string?];
    const entry = session.findEntry(schema, name, transaction);
    if (entry === undefined) {
      const missing = kind === 'table' ? 'table' : kind;
      if (!node.missing_ok) throw new SqlError(code, `${missing} "${name}" does not exist`);
      session.notice('00000', `${missing} "${name}" does not exist, skipping`);
      continue;
    }
    const relation = entry.object as Relation;
    if (relation.kind !== kind)
      throw new SqlError('42809', `"${name}" is not ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`);
    if (relation.kind === 'table') yield* lockTable(making, relation.object, 'AccessExclusiveLock');
    dropRelation(making, entry, cascade);
  }
  return `DROP ${what}`;
}

export function dropRelation(making: Making, entry: Entry, cascade: boolean): void {
  const { db, transaction } = making.run;
  const relation = entry.object as Relation;
  if (relation.kind === 'index') {
    const { object: index } = relation;
    if (index.constraint) {
      throw new SqlError(
        '2BP01',
        `cannot drop index ${index.name} because constraint ${index.name} on table ${index.table.name} requires it`,
      );
    }
    change(making, index.table, { indexes: index.table.indexes.filter((one) => one !== index) });
  }
  if (relation.kind === 'table') {
    const { object: table } = relation;
    const others = table.referredBy.filter(
      (key) => key.child !== table && !isDropped(making, key.child),
    );
    if (others.length > 0 && !cascade) {
      throw new SqlError(
        '2BP01',
        `cannot drop table ${table.name} because other objects depend on it`,
        {
          detail: others
            .map(
              (key) =>
                `constraint ${key.name} on table ${key.child.name} depends on table ${table.name}`,
            )
            .join('\n'),
          hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
        },
      );
    }
    for (const key of others)
      change(making, key.child, {
        foreignKeys: key.child.foreignKeys.filter((one) => one !== key),
      });
    for (const key of table.foreignKeys)
      change(making, key.parent, {
        referredBy: key.parent.referredBy.filter((one) => one !== key),
      });
    for (const other of db.all('relation', transaction)) {
      const owned = other.object as Relation;
      if (owned.kind === 'index' && owned.object.table === table) db.drop(other, transaction);
      if (owned.kind === 'sequence' && owned.object.ownedBy?.table === table)
        db.drop(other, transaction);
    }
  }
  db.drop(entry, transaction);
}

function isDropped(making: Making, table: Table): boolean {
  const { db, transaction } = making.run;
  return db.find('relation', table.schema, table.name, transaction) === undefined;
}

function dropType(making: Making, path: string[], missingOk: boolean): void {
  const { db, session, transaction } = making.run;
  const [name, schema] = [...path].reverse() as [string, string?];
  const schemas = schema === undefined ? session.searchPath : [schema];
  const entry = schemas
    .map((one) => db.find('type', one, name, transaction))
    .find((one) => one !== undefined);
  if (entry === undefined) {
    if (missingOk) return session.notice('00000', `type "${name}" does not exist, skipping`);
    throw new SqlError('42704', `type "${name}" does not exist`);
  }
  const user = db.all('relation', transaction).find(({ object }) => {
    const relation = object as Relation;
    return (
      relation.kind === 'table' &&
      relation.object.columns.some((column) => column.type === (entry.object as Type))
    );
  });
  if (user !== undefined) {
    throw new SqlError('2BP01', `cannot drop type ${name} because other objects depend on it`);
  }
  db.drop(entry, transaction);
}

function dropSchema(making: Making, name: string, missingOk: boolean, cascade: boolean): void {
  const { db, session, transaction } = making.run;
  const entry = db.find('schema', '', name, transaction);
  if (entry === undefined) {
    if (missingOk) return session.notice('00000', `schema "${name}" does not exist, skipping`);
    throw new SqlError('3F000', `schema "${name}" does not exist`);
  }
  const inside = [...db.all('relation', transaction), ...db.all('type', transaction)].filter(
    (one) => one.schema === name,
  );
  if (inside.length > 0 && !cascade) {
    throw new SqlError('2BP01', `cannot drop schema ${name} because other objects depend on it`, {
      detail: inside
        .filter((one) => one.what === 'relation')
        .map((one) => `${(one.object as Relation).kind} ${one.name} depends on schema ${name}`)
        .join('\n'),
      hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
    });
  }
  for (const one of inside) {
    if (one.droppedBy !== undefined) continue;
    const isTable = one.what === 'relation' && (one.object as Relation).kind === 'table';
    if (isTable) dropRelation(making, one, true);
    else db.drop(one, transaction);
  }
  db.drop(entry, transaction);
}

function* truncate(making: Making, node: any): Steps<void> {
  const { run } = making;
  const tables = new Set<Table>(
    node.relations.map(({ RangeVar }: any) => tableOf(making, RangeVar)),
  );
  for (const table of tables) {
    for (const key of table.referredBy) {
      if (tables.has(key.child)) continue;
      if (node.behavior === 'DROP_CASCADE') tables.add(key.child);
      else {
        throw new SqlError(
          '0A000',
          'cannot truncate a table referenced in a foreign key constraint',
          {
            detail: `Table "${key.child.name}" references "${table.name}".`,
            hint:
              `Truncate table "${key.child.name}" at the same time, ` +
              'or use TRUNCATE ... CASCADE.',
          },
        );
      }
    }
  }
  for (const table of tables) {
    yield* lockTable(making, table, 'AccessExclusiveLock');
    change(making, table, { tuples: [] });
    for (const index of table.indexes) refresh(making, index);
    if (node.restart_seqs) {
      for (const { object } of run.db.all('relation', run.transaction)) {
        const relation = object as Relation;
        if (relation.kind !== 'sequence' || relation.object.ownedBy?.table !== table) continue;
        change(making, relation.object, { last: relation.object.options.start, called: false });
      }
    }
  }
}

/** Its entries follow the rows, also when the change is undone. */
function refresh(making: Making, index: Index): void {
  index.rebuild();
  const { undo } = making.run.transaction;
  // Undo runs from the last to the first, so this comes after the rows are back.
  undo.splice(undo.length - 1, 0, {
    xact: making.run.transaction.current,
    run: () => index.rebuild(),
  });
}
