/**
 * A session: its transaction, its settings, and the execution of statements.
 */

import type { Database, Entry, Relation } from '../engine/database.js';
import type { Sequence } from '../engine/sequence.js';
import type { Table } from '../engine/table.js';
import type { Isolation, Transaction } from '../engine/transaction.js';
import { Xact } from '../engine/transaction.js';
import type { Backend, Steps, Wait } from '../engine/wait.js';
import { SqlError } from '../errors.js';
import { clock } from '../functions/time.js';
import type { Type } from '../types/type.js';
import * as t from '../types/types.js';
import { parse } from '../parser.js';
import { Settings } from './settings.js';

export interface Notice {
  readonly severity: 'NOTICE' | 'WARNING';
  readonly code: string;
  readonly message: string;
}

/** What it tells its client beside results. */
export interface Client {
  notice(notice: Notice): void;
  notification(pid: number, channel: string, payload: string): void;
  parameter(name: string, value: string): void;
}

export class Session implements Backend {
  readonly pid: number;
  waiting: Wait | undefined = undefined;
  transaction: Transaction | undefined = undefined;
  /** It was not begun by BEGIN, and ends with the statements that were sent together. */
  implicit = false;
  failed = false;
  statementStarted = 0;
  readonly settings: Settings;
  readonly listening = new Set<string>();
  /** Of a language to define functions in there is none. */
  readonly definesFunctions = false;
  private readonly currvals = new Map<Sequence, bigint>();
  private last: Sequence | undefined = undefined;

  constructor(
    readonly db: Database,
    readonly user: string,
    readonly client: Client,
  ) {
    this.pid = db.newPid();
    this.settings = new Settings(client);
  }

  get searchPath(): string[] {
    const path = this.settings
      .list('search_path')
      .map((name) => (name === '$user' ? this.user : name));
    return path.filter((name) => this.db.find('schema', '', name, this.transaction) !== undefined);
  }

  creationSchema(): string {
    const [schema] = this.searchPath;
    if (schema === undefined)
      throw new SqlError('3F000', 'no schema has been selected to create in');
    return schema;
  }

  notice(code: string, message: string, severity: Notice['severity'] = 'NOTICE'): void {
    this.client.notice({ severity, code, message });
  }

  notify(pid: number, channel: string, payload: string): void {
    this.client.notification(pid, channel, payload);
  }

  // Names

  findEntry(
    schema: string | undefined,
    name: string,
    transaction: Transaction | undefined,
  ): Entry | undefined {
    for (const one of schema === undefined ? this.searchPath : [schema]) {
      const entry = this.db.find('relation', one, name, transaction);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  findRelation(
    schema: string | undefined,
    name: string,
    transaction: Transaction | undefined,
  ): Relation | undefined {
    return this.findEntry(schema, name, transaction)?.object as Relation | undefined;
  }

  findTable(
    schema: string | undefined,
    name: string,
    transaction: Transaction | undefined,
  ): Table | undefined {
    const relation = this.findRelation(schema, name, transaction);
    return relation?.kind === 'table' || relation?.kind === 'view' ? relation.object : undefined;
  }

  /** The OID of what a name means, as a value of regclass, regtype and so on. */
  regNamed(type: Type, text: string): number {
    const names = identifiers(text);
    const [name, schema] = [...names].reverse() as [string, string?];
    if (type === t.REGTYPE) {
      const node: any = parse(`SELECT NULL::${text}`)[0]!.node.SelectStmt.targetList[0].ResTarget
        .val.TypeCast.typeName;
      const path = node.names.map((part: any) => part.String.sval as string);
      const plain = this.db.typeNamed(
        path.at(-1)!,
        ['pg_catalog', ...this.searchPath],
        this.transaction,
      );
      const found = node.arrayBounds === undefined ? plain : plain?.array;
      if (found === undefined) throw new SqlError('42704', `type "${text}" does not exist`);
      return found.oid;
    }
    if (type === t.REGNAMESPACE) {
      const found = this.db.find('schema', '', name, this.transaction);
      if (found === undefined) throw new SqlError('3F000', `schema "${name}" does not exist`);
      return (found.object as { oid: number }).oid;
    }
    const relation = this.findRelation(schema, name, this.transaction);
    if (relation === undefined) throw new SqlError('42P01', `relation "${text}" does not exist`);
    return relation.object.oid;
  }

  nameOfReg(type: Type, oid: number): string | undefined {
    if (type === t.REGTYPE) return this.db.typeByOid(oid, this.transaction)?.sqlName;
    const what = type === t.REGNAMESPACE ? 'schema' : 'relation';
    const entry = this.db
      .all(what, this.transaction)
      .find(({ object }) =>
        what === 'schema'
          ? (object as { oid: number }).oid === oid
          : (object as Relation).object.oid === oid,
      );
    if (entry === undefined || what === 'schema') return entry?.name;
    const seen = this.findEntry(undefined, entry.name, this.transaction) === entry;
    return seen ? entry.name : `${entry.schema}.${entry.name}`;
  }

  sequence(oid: number): Sequence {
    for (const { object } of this.db.all('relation', this.transaction)) {
      const relation = object as Relation;
      if (relation.object.oid !== oid) continue;
      if (relation.kind === 'sequence') return relation.object;
      throw new SqlError('42809', `"${relation.object.name}" is not a sequence`);
    }
    throw new SqlError('42P01', `relation with OID ${oid} does not exist`);
  }

  nextval(sequence: Sequence): bigint {
    const value = sequence.next();
    this.noteValue(sequence, value);
    return value;
  }

  noteValue(sequence: Sequence, value: bigint): void {
    this.currvals.set(sequence, value);
    this.last = sequence;
  }

  currval(sequence: Sequence): bigint {
    const value = this.currvals.get(sequence);
    if (value !== undefined) return value;
    throw new SqlError(
      '55000',
      `currval of sequence "${sequence.name}" is not yet defined in this session`,
    );
  }

  lastval(): bigint {
    if (this.last !== undefined) return this.currvals.get(this.last)!;
    throw new SqlError('55000', 'lastval is not yet defined in this session');
  }

  // Transactions

  get status(): 'I' | 'T' | 'E' {
    if (this.transaction === undefined || this.implicit) return 'I';
    return this.failed ? 'E' : 'T';
  }

  begin(implicit: boolean): Transaction {
    const isolation = this.settings.get('default_transaction_isolation') as Isolation;
    const readOnly = this.settings.get('default_transaction_read_only') === 'on';
    const started = this.statementStarted || clock();
    this.transaction = this.db.begin(this, started, level(isolation), readOnly);
    this.implicit = implicit;
    this.failed = false;
    this.settings.begin();
    return this.transaction;
  }

  current(): Transaction {
    return this.transaction ?? this.begin(true);
  }

  *commit(): Steps<void> {
    const { transaction } = this;
    if (transaction === undefined) return;
    try {
      for (
        let one = transaction.deferred.shift();
        one !== undefined;
        one = transaction.deferred.shift()
      ) {
        if (!one.xact.isAborted) yield* (one.check as () => Steps<void>)();
      }
      this.db.commit(transaction);
    } catch (error) {
      this.rollback();
      throw error;
    }
    this.settings.end(true);
    this.forget();
  }

  rollback(): void {
    const { transaction } = this;
    if (transaction === undefined) return;
    this.db.rollback(transaction);
    this.settings.end(false);
    this.forget();
  }

  private forget(): void {
    this.transaction = undefined;
    this.failed = false;
    this.implicit = false;
  }

  /** What an error leaves behind: a block that waits for its end, or nothing. */
  fail(): void {
    if (this.transaction === undefined) return;
    if (this.implicit) this.rollback();
    else this.failed = true;
  }

  savepoint(name: string): void {
    const transaction = this.transaction!;
    transaction.savepoints.push({ name, xact: new Xact(transaction, transaction.current) });
    this.settings.mark();
  }

  private savepointAt(name: string): number {
    const at = this.transaction!.savepoints.findLastIndex((savepoint) => savepoint.name === name);
    if (at < 0) throw new SqlError('3B001', `savepoint "${name}" does not exist`);
    return at;
  }

  release(name: string): void {
    // What it did stays under its own number; it just is no savepoint any more.
    const at = this.savepointAt(name);
    this.transaction!.savepoints.splice(at);
    this.settings.release(at);
  }

  rollbackTo(name: string): void {
    const transaction = this.transaction!;
    const at = this.savepointAt(name);
    const parent = at === 0 ? transaction : transaction.savepoints[at - 1]!.xact;
    this.db.rollbackTo(transaction, at, { name, xact: new Xact(transaction, parent) });
    this.settings.rollbackTo(at);
    this.failed = false;
  }

  end(): void {
    this.rollback();
    for (const channel of this.listening) this.db.listeners.get(channel)?.delete(this);
    this.db.locks.releaseAll(this);
    this.db.noteRelease();
  }
}

export function level(isolation: string): Isolation {
  return isolation === 'read uncommitted' ? 'read committed' : (isolation as Isolation);
}

/** The parts of a name as SQL writes it. */
export function identifiers(text: string): string[] {
  return [...text.trim().matchAll(/"((?:[^"]|"")*)"|[^."\s]+/g)].map(([whole, quoted]) =>
    quoted === undefined ? whole.toLowerCase() : quoted.replace(/""/g, '"'),
  );
}
