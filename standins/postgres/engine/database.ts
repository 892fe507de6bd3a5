/**
 * A database: its catalog, its transactions, and the sessions that wait for each other.
 *
 * Changes of the catalog belong to a transaction like those of rows: others see them when it has
 * committed, and a rollback takes them back.
 */

import { SqlError } from '../errors.js';
import { baseType, baseTypes, typeByOid } from '../types/types.js';
import type { Type } from '../types/type.js';
import { LockTable } from './locks.js';
import type { Sequence } from './sequence.js';
import { Serializability } from './serializable.js';
import type { Index, Table } from './table.js';
import { Snapshot, Transaction, type Isolation, type Savepoint, type Xact } from './transaction.js';
import type { Backend, Wait } from './wait.js';

export type Relation =
  | { readonly kind: 'table' | 'view'; readonly object: Table }
  | { readonly kind: 'index'; readonly object: Index }
  | { readonly kind: 'sequence'; readonly object: Sequence };

export interface Entry {
  readonly what: 'relation' | 'type' | 'schema';
  readonly schema: string;
  readonly name: string;
  readonly object: Relation | Type | { readonly oid: number };
  readonly createdBy: Xact | undefined;
  droppedBy: Xact | undefined;
}

interface Waiter {
  readonly wait: Wait;
  readonly resume: () => void;
}

/** The first OID that PostgreSQL gives to what users make. */
const FIRST_OID = 16_384;

export class Database {
  readonly locks = new LockTable();
  readonly serializability = new Serializability();
  /** Sessions by what they listen to. */
  readonly listeners = new Map<
    string,
    Set<{ notify(pid: number, channel: string, payload: string): void }>
  >();
  readonly sessions = new Map<
    number,
    { cancel(): void; terminate(): void; readonly secret: number }
  >();
  /** Changes whenever a name may mean something else than before. */
  version = 0;
  private readonly entries = new Map<string, Entry[]>();
  private readonly active = new Set<Transaction>();
  private readonly waiters: Waiter[] = [];
  private commits = 0;
  private lastXact = 730;
  private lastOid = FIRST_OID - 1;
  private lastPid = 100;
  private released = false;
  private settling = false;

  constructor(readonly name: string) {
    for (const schema of ['public', 'pg_catalog', 'information_schema']) {
      const oid = schema === 'public' ? 2200 : schema === 'pg_catalog' ? 11 : 13_000;
      this.add({ what: 'schema', schema: '', name: schema, object: { oid } }, undefined);
    }
  }

  newOid(): number {
    return (this.lastOid += 1);
  }

  newPid(): number {
    return (this.lastPid += 1);
  }

  // Catalog

  private add(
    entry: Pick<Entry, 'what' | 'schema' | 'name' | 'object'>,
    xact: Xact | undefined,
  ): Entry {
    const key = `${entry.what} ${entry.schema}.${entry.name}`;
    const full = { ...entry, createdBy: xact, droppedBy: undefined };
    const list = this.entries.get(key);
    if (list === undefined) this.entries.set(key, [full]);
    else list.push(full);
    this.version += 1;
    return full;
  }

  create(
    entry: Pick<Entry, 'what' | 'schema' | 'name' | 'object'>,
    transaction: Transaction,
  ): void {
    const made = this.add(entry, transaction.current);
    this.onUndo(transaction, () => {
      const list = this.entries.get(`${entry.what} ${entry.schema}.${entry.name}`)!;
      list.splice(list.indexOf(made), 1);
    });
  }

  drop(entry: Entry, transaction: Transaction): void {
    entry.droppedBy = transaction.current;
    this.version += 1;
  }

  /** Lets something be undone when the transaction, or its present savepoint, is rolled back. */
  onUndo(transaction: Transaction, run: () => void): void {
    transaction.wrote = true;
    this.version += 1;
    transaction.undo.push({
      xact: transaction.current,
      run: () => {
        this.version += 1;
        run();
      },
    });
  }

  private exists(entry: Entry, transaction: Transaction | undefined): boolean {
    const seen = (xact: Xact) =>
      xact.isCommitted || (xact.transaction === transaction && !xact.isAborted);
    return (
      (entry.createdBy === undefined || seen(entry.createdBy)) &&
      (entry.droppedBy === undefined || !seen(entry.droppedBy))
    );
  }

  find(
    what: Entry['what'],
    schema: string,
    name: string,
    transaction: Transaction | undefined,
  ): Entry | undefined {
    return this.entries
      .get(`${what} ${schema}.${name}`)
      ?.find((entry) => this.exists(entry, transaction));
  }

  all(what: Entry['what'], transaction: Transaction | undefined): Entry[] {
    return [...this.entries.values()]
      .flat()
      .filter((entry) => entry.what === what && this.exists(entry, transaction));
  }

  types(transaction: Transaction | undefined): { schema: string; type: Type }[] {
    const own = this.all('type', transaction).flatMap(({ schema, object }) => {
      const type = object as Type;
      return [
        { schema, type },
        { schema, type: type.array! },
      ];
    });
    return [...[...baseTypes()].map((type) => ({ schema: 'pg_catalog', type })), ...own];
  }

  typeByOid(oid: number, transaction: Transaction | undefined): Type | undefined {
    return (
      typeByOid(oid) ??
      this.types(transaction).find((candidate) => candidate.type.oid === oid)?.type
    );
  }

  typeNamed(name: string, path: readonly string[], transaction: Transaction | undefined) {
    const base = path.includes('pg_catalog') ? baseType(name) : undefined;
    if (base !== undefined) return base;
    const [, array, plain] = /^(_?)(.*)$/.exec(name)!;
    for (const schema of path) {
      const entry =
        this.find('type', schema, name, transaction) ??
        (array === '' ? undefined : this.find('type', schema, plain!, transaction));
      if (entry !== undefined) {
        const type = entry.object as Type;
        return entry.name === name ? type : type.array!;
      }
    }
    return undefined;
  }

  // Transactions

  begin(
    backend: Backend,
    started: number,
    isolation: Isolation,
    readOnly: boolean,
    deferrable = false,
  ) {
    const transaction = new Transaction(
      (this.lastXact += 1),
      backend,
      started,
      isolation,
      readOnly,
      deferrable,
    );
    this.active.add(transaction);
    return transaction;
  }

  /** The snapshot of the command that begins now. */
  snapshot(transaction: Transaction): Snapshot {
    transaction.command += 1;
    let commitNumber = this.commits;
    if (transaction.isWholeSnapshot) {
      if (transaction.snapshot === undefined) {
        transaction.snapshot = new Snapshot(transaction, this.commits, 0);
        if (transaction.isolation === 'serializable') this.serializability.begin(transaction);
      }
      commitNumber = transaction.snapshot.commitNumber;
    }
    return new Snapshot(transaction, commitNumber, transaction.command);
  }

  /** A snapshot of now, for checks that have to see what is committed. */
  latest(transaction: Transaction): Snapshot {
    return new Snapshot(transaction, this.commits, transaction.command + 1);
  }

  commit(transaction: Transaction): void {
    const { serializable } = transaction;
    if (serializable !== undefined) this.serializability.prepare(serializable);
    transaction.commitNumber = this.commits += 1;
    if (transaction.undo.length > 0) this.version += 1;
    for (const { xact, channel, payload } of transaction.notifications) {
      if (xact.isAborted) continue;
      for (const listener of this.listeners.get(channel) ?? []) {
        listener.notify(transaction.backend.pid, channel, payload);
      }
    }
    this.end(transaction, true);
  }

  rollback(transaction: Transaction): void {
    if (transaction.commitNumber !== undefined || transaction.aborted) return;
    transaction.aborted = true;
    this.undo(transaction);
    this.end(transaction, false);
  }

  /** Rolls back to a savepoint, and leaves it there. */
  rollbackTo(transaction: Transaction, at: number, again: Savepoint): void {
    for (const savepoint of transaction.savepoints.splice(at)) savepoint.xact.aborted = true;
    this.undo(transaction);
    transaction.savepoints.push(again);
    this.released = true;
  }

  private undo(transaction: Transaction): void {
    const { undo } = transaction;
    while (undo.length > 0 && undo.at(-1)!.xact.isAborted) undo.pop()!.run();
  }

  private end(transaction: Transaction, committed: boolean): void {
    const { serializable } = transaction;
    if (serializable !== undefined) this.serializability.end(serializable, committed);
    this.active.delete(transaction);
    this.locks.releaseAll(transaction);
    this.released = true;
  }

  /** The newest commit that every snapshot in use sees. */
  oldestNeeded(): number {
    let oldest = this.commits;
    for (const { snapshot, command } of this.active) {
      if (snapshot !== undefined) oldest = Math.min(oldest, snapshot.commitNumber);
      // A statement that waits may still need what was there when it began.
      else if (command > 0) oldest = 0;
    }
    return oldest;
  }

  // Waiting

  wait(wait: Wait, resume: () => void): () => void {
    const waiter = { wait, resume };
    this.waiters.push(waiter);
    return () => {
      const at = this.waiters.indexOf(waiter);
      if (at >= 0) this.waiters.splice(at, 1);
      // Those that queued behind it may go on.
      this.released = true;
    };
  }

  noteRelease(): void {
    this.released = true;
  }

  /** Lets those go on that have waited for what was released, the first comer first. */
  settle(): void {
    if (this.settling) return;
    this.settling = true;
    while (this.released) {
      this.released = false;
      const next = this.waiters.find(({ wait }) => wait.ready());
      if (next === undefined) break;
      this.waiters.splice(this.waiters.indexOf(next), 1);
      // It may have taken what others wait for, or released more.
      this.released = true;
      next.resume();
    }
    this.settling = false;
  }
}

export function duplicateRelation(name: string): SqlError {
  return new SqlError('42P07', `relation "${name}" already exists`);
}
