/**
 * What analysis makes of SQL, and what its results run in.
 *
 * An expression becomes a closure from a frame to a value. A frame is one level of a query at one
 * combination of rows: a slot for each item of its FROM clause, and the frame of the query around.
 */

import type { Database } from '../engine/database.js';
import type { Slot, Table } from '../engine/table.js';
import type { Snapshot, Transaction } from '../engine/transaction.js';
import type { Steps } from '../engine/wait.js';
import { SqlError } from '../errors.js';
import type { Type } from '../types/type.js';
import type { Session } from '../session/session.js';

/** One execution of a statement. */
export class Run {
  /** Results that are made once in it, by what they are of. */
  readonly memo = new Map<object, any>();
  /** Constraint checks and actions that its end brings. */
  readonly after: (() => Steps<void>)[] = [];

  constructor(
    readonly db: Database,
    readonly session: Session,
    readonly transaction: Transaction,
    readonly snapshot: Snapshot,
    readonly params: readonly any[],
  ) {}

  once<T>(key: object, make: () => T): T {
    if (!this.memo.has(key)) this.memo.set(key, make());
    return this.memo.get(key) as T;
  }
}

export class Frame {
  slots: Slot[] = [];
  /** Values of aggregates and window functions. */
  aggregates: any[] = [];
  windows: any[] = [];

  constructor(
    readonly run: Run,
    readonly parent: Frame | undefined,
  ) {}

  /** The same level with other rows. */
  at(slots: Slot[]): Frame {
    const frame = new Frame(this.run, this.parent);
    frame.slots = slots;
    return frame;
  }
}

export interface Expr {
  readonly type: Type;
  readonly typmod?: readonly number[];
  ev(frame: Frame): any;
  /** The text of a literal whose type is not known. */
  readonly literal?: string | null;
  /** A parameter whose type is not known, from 1. */
  readonly param?: number;
  /** A call that may wait, and stands alone: it is made by this. */
  steps?(frame: Frame): Steps<any>;
  /** Gives several rows. */
  readonly isSet?: boolean;
  /** The columns of those rows, when they have more than one. */
  readonly setColumns?: readonly (readonly [name: string, type: Type])[];
  /** A plain column of an entry of its own level. */
  readonly column?: { readonly entry: number; readonly column: number };
  /** What it compares, when it is an equality. */
  readonly operands?: readonly Expr[];
  /** `left IN items`. */
  readonly list?: { readonly left: Expr; items(frame: Frame): readonly any[] };
}

export interface OutputColumn {
  readonly name: string;
  readonly type: Type;
  readonly typmod: readonly number[];
  /** Where a plain column comes from. */
  readonly source?: { readonly table: number; readonly column: number };
}

/** A query that can be run. */
export interface Plan {
  readonly columns: readonly OutputColumn[];
  /** It may have to wait: it runs by `steps` only. */
  readonly waits: boolean;
  /** It refers to rows of the query around it. */
  readonly correlated: boolean;
  rows(run: Run, parent: Frame | undefined): any[][];
  steps(run: Run, parent: Frame | undefined): Steps<any[][]>;
}

/** A parameter that no use has given a type to. */
export class Parameters {
  constructor(readonly types: (Type | undefined)[]) {}

  resolve(number: number, type: Type): void {
    const known = this.types[number - 1];
    if (known !== undefined && known !== type) {
      throw new SqlError('42P08', `inconsistent types deduced for parameter $${number}`, {
        detail: `${known.sqlName} versus ${type.sqlName}`,
      });
    }
    this.types[number - 1] = type;
  }
}

export interface RangeEntry {
  readonly index: number;
  readonly alias: string;
  readonly table?: Table | undefined;
  readonly columns: readonly {
    readonly name: string;
    readonly type: Type;
    readonly typmod: readonly number[];
  }[];
}

/** A column as `*` and plain names find it. */
export interface StarColumn {
  readonly name: string;
  readonly expr: Expr;
  readonly entry?: RangeEntry;
  readonly column?: number;
}
