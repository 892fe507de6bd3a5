/**
 * Transactions, subtransactions and snapshots.
 *
 * Commits are numbered. A snapshot is a commit number: it sees what was committed up to there, and
 * what its own transaction did in earlier commands. A subtransaction (savepoint) is a transaction
 * with a parent; it counts as committed when all of its ancestors are.
 */

import type { SerializableXact } from './serializable.js';
import type { Backend } from './wait.js';

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** What a row version is stamped with: a transaction or one of its subtransactions. */
export class Xact {
  aborted = false;

  constructor(
    readonly top: Transaction | undefined,
    readonly parent: Xact | undefined,
  ) {}

  get transaction(): Transaction {
    return this.top ?? (this as unknown as Transaction);
  }

  /** Rolled back, itself or with an ancestor. */
  get isAborted(): boolean {
    for (let at: Xact | undefined = this; at !== undefined; at = at.parent) {
      if (at.aborted) return true;
    }
    return false;
  }

  get isActive(): boolean {
    return this.transaction.commitNumber === undefined && !this.isAborted;
  }

  get isCommitted(): boolean {
    return this.transaction.commitNumber !== undefined && !this.isAborted;
  }
}

export interface Savepoint {
  readonly name: string;
  readonly xact: Xact;
}

export class Transaction extends Xact {
  commitNumber: number | undefined = undefined;
  /** Counts commands, so that a command does not see its own changes. */
  command = 0;
  snapshot: Snapshot | undefined = undefined;
  readonly savepoints: Savepoint[] = [];
  serializable: SerializableXact | undefined = undefined;
  wrote = false;
  /** What has to be undone when it, or the subtransaction that did it, is rolled back. */
  readonly undo: { readonly xact: Xact; readonly run: () => void }[] = [];
  /** Constraint checks that wait for the commit. */
  deferred: { readonly xact: Xact; readonly constraint: string; readonly check: unknown }[] = [];
  /** What SET CONSTRAINTS says of those that are deferrable: of all, and of some by name. */
  allDeferred: boolean | undefined = undefined;
  readonly namedDeferred = new Map<string, boolean>();
  readonly notifications: {
    readonly xact: Xact;
    readonly channel: string;
    readonly payload: string;
  }[] = [];

  constructor(
    readonly id: number,
    readonly backend: Backend,
    /** Microseconds since 1970: what now() says. */
    readonly started: number,
    public isolation: Isolation,
    public readOnly: boolean,
    public deferrable: boolean,
  ) {
    super(undefined, undefined);
  }

  /** What the next change is stamped with. */
  get current(): Xact {
    return this.savepoints.at(-1)?.xact ?? this;
  }

  get isWholeSnapshot(): boolean {
    return this.isolation !== 'read committed';
  }
}

export class Snapshot {
  constructor(
    readonly transaction: Transaction,
    /** The last commit that it sees. */
    readonly commitNumber: number,
    readonly command: number,
  ) {}

  /** Whether it sees what this transaction did in that command. */
  sees(xact: Xact, command: number): boolean {
    if (xact.transaction === this.transaction) return !xact.isAborted && command < this.command;
    const number = xact.transaction.commitNumber;
    return number !== undefined && number <= this.commitNumber && !xact.isAborted;
  }
}
