/**
 * Tables of pg_catalog and information_schema, made from the catalog when somebody reads them: what
 * clients and query builders ask for when they start, and what people ask about their own tables.
 */

import type { Relation } from '../engine/database.js';
import type { Index, Table } from '../engine/table.js';
import { unsupported } from '../errors.js';
import type { Run } from '../sql/expr.js';
import { packTypmod } from '../types/names.js';
import * as t from '../types/types.js';
import { constraintViews } from './constraint-views.js';
import { defaultText } from './default-text.js';
import { relations, table, tables, type SystemTable } from './system-table.js';

export type { SystemTable };

const { OID, NAME, INT2, INT4, BOOL, TEXT, CHAR, VARCHAR } = t;

const indexes = (run: Run): Index[] =>
  relations(run).flatMap((one) => (one.kind === 'index' ? [one.object] : []));
const schemaOid = (run: Run, name: string): number =>
  (run.db.find('schema', '', name, run.transaction)!.object as { oid: number }).oid;

const KINDS = { table: 'r', view: 'v', index: 'i', sequence: 'S' };

const pg: Record<string, SystemTable> = {
  pg_namespace: table({ oid: OID, nspname: NAME, nspowner: OID }, (run) =>
    run.db.all('schema', run.transaction).map(({ name, object }) => ({
      oid: (object as { oid: number }).oid,
      nspname: name,
      nspowner: 10,
    })),
  ),
  pg_type: table(
    {
      oid: OID,
      typname: NAME,
      typnamespace: OID,
      typlen: INT2,
      typtype: CHAR,
      typcategory: CHAR,
      typrelid: OID,
      typelem: OID,
      typarray: OID,
      typbasetype: OID,
      typdelim: CHAR,
      typinput: TEXT,
      typnotnull: BOOL,
      typtypmod: INT4,
    },
    (run) =>
      run.db.types(run.transaction).map(({ schema, type }) => ({
        oid: type.oid,
        typname: type.name,
        typnamespace: schemaOid(run, schema),
        typlen: type.length,
        typtype: type.category === 'E' ? 'e' : type.category === 'P' ? 'p' : 'b',
        typcategory: type.category,
        typrelid: 0,
        typelem: type.element?.oid ?? 0,
        typarray: type.array?.oid ?? 0,
        typbasetype: 0,
        typdelim: ',',
        typinput: type.element ? 'array_in' : `${type.name}in`,
        typnotnull: false,
        typtypmod: -1,
      })),
  ),
  pg_enum: table({ oid: OID, enumtypid: OID, enumsortorder: t.FLOAT4, enumlabel: NAME }, (run) =>
    run.db.types(run.transaction).flatMap(({ type }) =>
      (type.element === undefined ? (type.labels ?? []) : []).map((label, i) => ({
        oid: type.oid * 1000 + i,
        enumtypid: type.oid,
        enumsortorder: i + 1,
        enumlabel: label,
      })),
    ),
  ),
  pg_range: table({ rngtypid: OID, rngsubtype: OID }, () => []),
  pg_class: table(
    {
      oid: OID,
      relname: NAME,
      relnamespace: OID,
      relkind: CHAR,
      relowner: OID,
      reltuples: t.FLOAT4,
      relhasindex: BOOL,
      relpersistence: CHAR,
      relispartition: BOOL,
      relrowsecurity: BOOL,
    },
    (run) =>
      run.db.all('relation', run.transaction).map(({ schema, name, object }) => {
        const relation = object as Relation;
        return {
          oid: relation.object.oid,
          relname: name,
          relnamespace: schemaOid(run, schema),
          relkind: KINDS[relation.kind],
          relowner: 10,
          reltuples: -1,
          relhasindex: relation.kind === 'table' && relation.object.indexes.length > 0,
          relpersistence: 'p',
          relispartition: false,
          relrowsecurity: false,
        };
      }),
  ),
  pg_attribute: table(
    {
      attrelid: OID,
      attname: NAME,
      atttypid: OID,
      attnum: INT2,
      attnotnull: BOOL,
      atttypmod: INT4,
      attisdropped: BOOL,
      atthasdef: BOOL,
      attidentity: CHAR,
      attgenerated: CHAR,
      attlen: INT2,
      attndims: INT4,
    },
    (run) =>
      tables(run).flatMap((one) =>
        one.columns.map((column, i) => ({
          attrelid: one.oid,
          attname: column.name,
          atttypid: column.type.oid,
          attnum: i + 1,
          attnotnull: column.notNull,
          atttypmod: packTypmod(column.type, column.typmod),
          attisdropped: false,
          atthasdef: column.default !== undefined,
          attidentity: column.identity,
          attgenerated: column.generated === undefined ? '' : 's',
          attlen: column.type.length,
          attndims: column.type.element ? 1 : 0,
        })),
      ),
  ),
  pg_index: table(
    {
      indexrelid: OID,
      indrelid: OID,
      indisunique: BOOL,
      indisprimary: BOOL,
      indisvalid: BOOL,
      indkey: t.INT2VECTOR,
      indnatts: INT2,
      indnkeyatts: INT2,
    },
    (run) =>
      indexes(run).map((index) => ({
        indexrelid: index.oid,
        indrelid: index.table.oid,
        indisunique: index.unique,
        indisprimary: index.primary,
        indisvalid: true,
        indkey: index.columns.map((name) =>
          name === undefined ? 0 : index.table.column(name) + 1,
        ),
        indnatts: index.keys.length,
        indnkeyatts: index.keys.length,
      })),
  ),
  pg_constraint: table(
    {
      oid: OID,
      conname: NAME,
      connamespace: OID,
      contype: CHAR,
      conrelid: OID,
      confrelid: OID,
      conkey: INT2.array!,
      confkey: INT2.array!,
      confupdtype: CHAR,
      confdeltype: CHAR,
      condeferrable: BOOL,
      condeferred: BOOL,
    },
    constraints,
  ),
  pg_indexes: table({ schemaname: NAME, tablename: NAME, indexname: NAME }, (run) =>
    indexes(run).map((index) => ({
      schemaname: index.table.schema,
      tablename: index.table.name,
      indexname: index.name,
    })),
  ),
  pg_tables: table(
    { schemaname: NAME, tablename: NAME, tableowner: NAME, hasindexes: BOOL },
    (run) =>
      tables(run)
        .filter((one) => one.view === undefined)
        .map((one) => ({
          schemaname: one.schema,
          tablename: one.name,
          tableowner: run.session.user,
          hasindexes: one.indexes.length > 0,
        })),
  ),
  pg_views: table({ schemaname: NAME, viewname: NAME, viewowner: NAME }, (run) =>
    tables(run)
      .filter((one) => one.view !== undefined)
      .map((one) => ({ schemaname: one.schema, viewname: one.name, viewowner: run.session.user })),
  ),
  pg_database: table(
    {
      oid: OID,
      datname: NAME,
      datdba: OID,
      encoding: INT4,
      datallowconn: BOOL,
      datistemplate: BOOL,
    },
    (run) => [
      {
        oid: 5,
        datname: run.db.name,
        datdba: 10,
        encoding: 6,
        datallowconn: true,
        datistemplate: false,
      },
    ],
  ),
  pg_roles: table({ oid: OID, rolname: NAME, rolsuper: BOOL, rolcanlogin: BOOL }, (run) => [
    { oid: 10, rolname: run.session.user, rolsuper: true, rolcanlogin: true },
  ]),
  pg_settings: table({ name: TEXT, setting: TEXT }, (run) =>
    run.session.settings.all().map(([name, setting]) => ({ name, setting })),
  ),
  pg_extension: table({ oid: OID, extname: NAME, extversion: TEXT }, () => [
    { oid: 1, extname: 'plpgsql', extversion: '1.0' },
  ]),
  pg_description: table(
    { objoid: OID, classoid: OID, objsubid: INT4, description: TEXT },
    () => [],
  ),
  pg_attrdef: table({ oid: OID, adrelid: OID, adnum: INT2, adbin: TEXT }, () => []),
};

function constraints(run: Run): Record<string, any>[] {
  const rows: Record<string, any>[] = [];
  for (const one of tables(run)) {
    const base = {
      connamespace: schemaOid(run, one.schema),
      conrelid: one.oid,
      confrelid: 0,
      condeferrable: false,
      condeferred: false,
    };
    const numbers = (of: Table, names: readonly (string | undefined)[]) =>
      names.map((name) => of.column(name!) + 1);
    for (const index of one.indexes) {
      if (!index.constraint) continue;
      rows.push({
        ...base,
        oid: index.oid + 500_000,
        conname: index.name,
        contype: index.primary ? 'p' : 'u',
        conkey: numbers(one, index.columns),
      });
    }
    for (const [i, key] of one.foreignKeys.entries()) {
      rows.push({
        ...base,
        oid: one.oid * 100 + i,
        conname: key.name,
        contype: 'f',
        confrelid: key.parent.oid,
        conkey: numbers(one, key.columns),
        confkey: numbers(key.parent, key.parentColumns),
        confupdtype: key.onUpdate,
        confdeltype: key.onDelete,
        condeferrable: key.deferrable,
        condeferred: key.deferred,
      });
    }
    for (const [i, check] of one.checks.entries())
      rows.push({ ...base, oid: one.oid * 100 + 50 + i, conname: check.name, contype: 'c' });
  }
  return rows;
}

const information: Record<string, SystemTable> = {
  schemata: table({ catalog_name: NAME, schema_name: NAME, schema_owner: NAME }, (run) =>
    run.db.all('schema', run.transaction).map(({ name }) => ({
      catalog_name: run.db.name,
      schema_name: name,
      schema_owner: run.session.user,
    })),
  ),
  tables: table(
    { table_catalog: NAME, table_schema: NAME, table_name: NAME, table_type: VARCHAR },
    (run) =>
      tables(run).map((one) => ({
        table_catalog: run.db.name,
        table_schema: one.schema,
        table_name: one.name,
        table_type: one.view === undefined ? 'BASE TABLE' : 'VIEW',
      })),
  ),
  columns: table(
    {
      table_catalog: NAME,
      table_schema: NAME,
      table_name: NAME,
      column_name: NAME,
      ordinal_position: INT4,
      column_default: VARCHAR,
      is_nullable: VARCHAR,
      data_type: VARCHAR,
      udt_name: NAME,
      udt_schema: NAME,
      character_maximum_length: INT4,
      numeric_precision: INT4,
      numeric_scale: INT4,
      is_identity: VARCHAR,
      is_generated: VARCHAR,
    },
    (run) =>
      tables(run).flatMap((one) =>
        one.columns.map((column, i) => ({
          table_catalog: run.db.name,
          table_schema: one.schema,
          table_name: one.name,
          column_name: column.name,
          ordinal_position: i + 1,
          column_default: defaultText(column),
          is_nullable: column.notNull ? 'NO' : 'YES',
          data_type:
            column.type.category === 'E'
              ? 'USER-DEFINED'
              : column.type.element
                ? 'ARRAY'
                : column.type.sqlName,
          udt_name: column.type.name,
          udt_schema: column.type.category === 'E' ? one.schema : 'pg_catalog',
          character_maximum_length:
            column.type.category === 'S' ? (column.typmod[0] ?? null) : null,
          numeric_precision:
            { int2: 16, int4: 32, int8: 64, float4: 24, float8: 53, numeric: column.typmod[0] }[
              column.type.name
            ] ?? null,
          numeric_scale:
            { int2: 0, int4: 0, int8: 0, numeric: column.typmod[1] }[column.type.name] ?? null,
          is_identity: column.identity === '' ? 'NO' : 'YES',
          is_generated: column.generated === undefined ? 'NEVER' : 'ALWAYS',
        })),
      ),
  ),
  ...constraintViews,
};

/** Known of PostgreSQL, and not there. */
const NOT_MADE = new RegExp(
  `^pg_(?:${[
    'stat locks proc trigger operator am opclass depend inherits rewrite authid',
    'sequence matviews cast aggregate language policy user shdepend collation',
  ]
    .join(' ')
    .replace(/ /g, '|')})`,
);

/** @param schema undefined for a plain name: those of pg_catalog are seen without one */
export function systemTable(schema: string | undefined, name: string): SystemTable | undefined {
  if (schema === 'information_schema')
    return found(information[name], `information_schema.${name}`);
  if (schema === 'pg_catalog') return found(pg[name], `pg_catalog.${name}`);
  if (schema !== undefined) return undefined;
  if (pg[name] !== undefined) return pg[name];
  if (NOT_MADE.test(name)) {
    throw unsupported(`pg_catalog.${name}`);
  }
  return undefined;
}

function found(one: SystemTable | undefined, name: string): SystemTable {
  if (one !== undefined) return one;
  throw unsupported(name);
}
