/**
 * Tables as heaps of row versions, and their indexes.
 *
 * An update adds a version and leaves the old one for the snapshots that still see it. All versions
 * of a row share one `RowState`, which holds the locks on the row.
 */

import type { Type } from '../types/type.js';
import type { Snapshot, Xact } from './transaction.js';

export type RowLockMode = 'key share' | 'share' | 'no key update' | 'update';

export interface RowLock {
  readonly xact: Xact;
  readonly mode: RowLockMode;
}

export interface RowState {
  locks: RowLock[];
}

/** A row version, or a row that a query made: what a column is read from. */
export interface Slot {
  readonly v: readonly any[];
}

export class Tuple implements Slot {
  xmax: Xact | undefined = undefined;
  cmax = 0;
  /** The version that replaced it. */
  next: Tuple | undefined = undefined;

  constructor(
    readonly table: Table,
    /** Where it stands in the table, for ctid. */
    readonly place: number,
    public v: any[],
    readonly xmin: Xact,
    readonly cmin: number,
    readonly row: RowState,
  ) {}

  isVisible(snapshot: Snapshot): boolean {
    return (
      snapshot.sees(this.xmin, this.cmin) &&
      (this.xmax === undefined || !snapshot.sees(this.xmax, this.cmax))
    );
  }

  get isDeleted(): boolean {
    return this.xmax !== undefined && !this.xmax.isAborted;
  }
}

export interface Column {
  name: string;
  type: Type;
  typmod: readonly number[];
  notNull: boolean;
  /** A parsed expression. */
  default: any;
  identity: '' | 'a' | 'd';
  /** A parsed expression: GENERATED ALWAYS AS (…) STORED. */
  generated: any;
  /** Gives the default of a row that is inserted, from its other values; made on first use. */
  evaluate?: ((row: Slot, run: any) => any) | undefined;
}

export interface Check {
  readonly name: string;
  readonly expression: any;
  test?: ((row: Slot, run: any) => boolean | null) | undefined;
}

export type ForeignAction = 'a' | 'r' | 'c' | 'n' | 'd';

export interface ForeignKey {
  readonly name: string;
  readonly child: Table;
  readonly columns: readonly string[];
  readonly parent: Table;
  readonly parentColumns: readonly string[];
  readonly onUpdate: ForeignAction;
  readonly onDelete: ForeignAction;
  readonly deferrable: boolean;
  readonly deferred: boolean;
}

export interface IndexKey {
  /** The column's name; undefined for an expression. */
  readonly column: string | undefined;
  readonly type: Type;
  readonly expression: any;
  /** How an error names it. */
  readonly label: string;
  readonly of: (row: Slot) => any;
}

/** All versions of rows by the key that they have. */
export class Index {
  readonly entries = new Map<string, Tuple[]>();

  constructor(
    readonly oid: number,
    readonly name: string,
    readonly table: Table,
    readonly keys: readonly IndexKey[],
    readonly unique: boolean,
    readonly primary: boolean,
    /** Of a constraint, not of CREATE INDEX. */
    readonly constraint: boolean,
    /** Only rows for which it is true are in the index. */
    readonly predicate: { readonly text: any; readonly test: (row: Slot) => boolean } | undefined,
  ) {}

  get columns(): (string | undefined)[] {
    return this.keys.map((key) => key.column);
  }

  /** The key of a row; undefined when a part is NULL or the predicate leaves it out. */
  keyOf(row: Slot): string | undefined {
    if (this.predicate !== undefined && !this.predicate.test(row)) return undefined;
    return this.encode(this.keys.map((key) => key.of(row)));
  }

  encode(values: readonly any[]): string | undefined {
    let encoded = '';
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i];
      if (value === null) return undefined;
      const key = this.keys[i]!.type.key(value);
      encoded += values.length === 1 ? key : `${key.length}:${key}`;
    }
    return encoded;
  }

  /** What stands for a key among the things that were read or written. */
  target(key: string): string {
    return `${this.oid}/${key}`;
  }

  add(tuple: Tuple): void {
    const key = this.keyOf(tuple);
    if (key === undefined) return;
    const bucket = this.entries.get(key);
    if (bucket === undefined) this.entries.set(key, [tuple]);
    else bucket.push(tuple);
  }

  rebuild(): void {
    this.entries.clear();
    for (const tuple of this.table.tuples) this.add(tuple);
  }
}

/** How many dead versions are let be before they are cleared away. */
const DEAD_ENOUGH = 500;

export class Table {
  tuples: Tuple[] = [];
  indexes: Index[] = [];
  checks: Check[] = [];
  foreignKeys: ForeignKey[] = [];
  /** Foreign keys of other tables that refer to this one. */
  referredBy: ForeignKey[] = [];
  places = 0;
  private ended = 0;

  constructor(
    readonly oid: number,
    public schema: string,
    public name: string,
    public columns: Column[],
    /** A parsed query, for a view. */
    readonly view?: any,
  ) {}

  column(name: string): number {
    return this.columns.findIndex((column) => column.name === name);
  }

  get primary(): Index | undefined {
    return this.indexes.find((index) => index.primary);
  }

  insert(values: any[], xact: Xact, command: number, row: RowState = { locks: [] }): Tuple {
    const tuple = new Tuple(this, (this.places += 1), values, xact, command, row);
    this.tuples.push(tuple);
    for (const index of this.indexes) index.add(tuple);
    return tuple;
  }

  /** Ends a version; with `values` another one takes its place. */
  replace(old: Tuple, values: any[] | undefined, xact: Xact, command: number): Tuple | undefined {
    old.xmax = xact;
    old.cmax = command;
    old.next = values && this.insert(values, xact, command, old.row);
    this.ended += 1;
    return old.next;
  }

  /** Clears away the versions that no snapshot from this commit number on can see. */
  vacuum(oldest: number): void {
    if (this.ended < DEAD_ENOUGH || this.ended < this.tuples.length / 2) return;
    this.ended = 0;
    this.tuples = this.tuples.filter((tuple) => {
      const { xmin, xmax } = tuple;
      const gone =
        xmax !== undefined && xmax.isCommitted && xmax.transaction.commitNumber! <= oldest;
      return !gone && !xmin.isAborted;
    });
    for (const index of this.indexes) index.rebuild();
  }
}
