/**
 * Serializable snapshot isolation: transactions that read what a concurrent one writes (a
 * rw-conflict) are noted, and one is made to fail where two such edges in a row could close one.
 *
 * After M. Cahill, U. Röhm, A. Fekete, "Serializable isolation for snapshot databases" (SIGMOD
 * 2008) and D. Ports, K. Grittner, "Serializable snapshot isolation in PostgreSQL" (VLDB 2012);
 * the cases are those of PostgreSQL's predicate.c. What was read is noted per table or per key of
 * an index, never coarser.
 */

import { SqlError } from '../errors.js';
import type { Transaction } from './transaction.js';

/** A table, or a key of an index. */
export type ReadTarget = object | string;

export class SerializableXact {
  /** Those that read what this one wrote, and those whose writes this one read over. */
  readonly conflictsIn = new Set<SerializableXact>();
  readonly conflictsOut = new Set<SerializableXact>();
  readonly reads = new Set<ReadTarget>();
  prepareNumber: number | undefined = undefined;
  commitNumber: number | undefined = undefined;
  doomed = false;
  rolledBack = false;
  /** It committed after one that it has a conflict to. */
  committedAfterOut = false;

  constructor(
    readonly transaction: Transaction,
    public readOnly: boolean,
    readonly lastCommitBeforeSnapshot: number,
  ) {}

  get prepared(): boolean {
    return this.prepareNumber !== undefined;
  }

  get committed(): boolean {
    return this.commitNumber !== undefined;
  }
}

function failure(reason: string): SqlError {
  return new SqlError(
    '40001',
    'could not serialize access due to read/write dependencies among transactions',
    {
      detail: `Reason code: Canceled on ${reason}.`,
      hint: 'The transaction might succeed if retried.',
    },
  );
}

export class Serializability {
  private readonly readers = new Map<ReadTarget, Set<SerializableXact>>();
  private readonly all = new Set<SerializableXact>();
  private sequence = 0;

  begin(transaction: Transaction): void {
    const xact = new SerializableXact(transaction, transaction.readOnly, this.sequence);
    transaction.serializable = xact;
    this.all.add(xact);
  }

  /** It reads all of a table, or all there is under a key. */
  read(me: SerializableXact, target: ReadTarget): void {
    if (me.reads.has(target)) return;
    me.reads.add(target);
    let readers = this.readers.get(target);
    if (readers === undefined) this.readers.set(target, (readers = new Set()));
    readers.add(me);
  }

  /** It read over a change that a concurrent transaction made, and that it does not see. */
  readOver(me: SerializableXact, writer: Transaction): void {
    if (me.doomed) throw failure('identification as a pivot, during conflict out checking');
    const other = writer.serializable;
    if (other === undefined || other === me || other.doomed || other.rolledBack) return;
    if (!me.conflictsOut.has(other)) this.flag(me, other, me);
  }

  /** It changes something in this table or under this key. */
  write(me: SerializableXact, target: ReadTarget): void {
    if (me.doomed) throw failure('identification as a pivot, during conflict in checking');
    for (const reader of this.readers.get(target) ?? []) {
      if (reader === me || reader.doomed || me.conflictsIn.has(reader)) continue;
      if (reader.committed && reader.commitNumber! <= me.lastCommitBeforeSnapshot) continue;
      this.flag(reader, me, me);
    }
  }

  private flag(reader: SerializableXact, writer: SerializableXact, me: SerializableXact): void {
    if (this.isDangerous(reader, writer)) {
      if (me === writer) throw failure('identification as a pivot, during write');
      if (writer.prepared) {
        throw failure(`conflict out to pivot ${writer.transaction.id}, during read`);
      }
      writer.doomed = true;
    }
    reader.conflictsOut.add(writer);
    writer.conflictsIn.add(reader);
  }

  private isDangerous(reader: SerializableXact, writer: SerializableXact): boolean {
    if (writer.committed && writer.committedAfterOut) return true;
    const writerIsPivot = [...writer.conflictsOut].some(
      (third) =>
        third.prepared &&
        (!reader.committed || third.prepareNumber! <= reader.commitNumber!) &&
        (!writer.committed || third.prepareNumber! <= writer.commitNumber!) &&
        (!reader.readOnly || third.prepareNumber! <= reader.lastCommitBeforeSnapshot),
    );
    if (writerIsPivot) return true;
    if (!writer.prepared || reader.readOnly) return false;
    return [...reader.conflictsIn].some(
      (first) =>
        !first.doomed &&
        (!first.committed || first.commitNumber! >= writer.prepareNumber!) &&
        (!first.readOnly || first.lastCommitBeforeSnapshot >= writer.prepareNumber!),
    );
  }

  /** Before a commit; whoever is the pivot of a dangerous structure fails, this one or another. */
  prepare(me: SerializableXact): void {
    if (me.doomed) throw failure('identification as a pivot, during commit attempt');
    for (const near of me.conflictsIn) {
      if (near.committed || near.doomed) continue;
      const dangerous = [...near.conflictsIn].some(
        (far) => far === me || (!far.committed && !far.readOnly && !far.doomed),
      );
      if (!dangerous) continue;
      if (near.prepared) throw failure('commit attempt with conflict in from prepared pivot');
      near.doomed = true;
    }
    me.prepareNumber = this.sequence += 1;
  }

  end(me: SerializableXact, committed: boolean): void {
    if (committed) {
      me.commitNumber = this.sequence += 1;
      if (!me.transaction.wrote) me.readOnly = true;
      else if ([...me.conflictsOut].some((out) => out.committed)) me.committedAfterOut = true;
    } else {
      me.rolledBack = true;
      this.drop(me);
    }
    this.forgetOld();
  }

  private drop(me: SerializableXact): void {
    for (const target of me.reads) {
      const readers = this.readers.get(target)!;
      readers.delete(me);
      if (readers.size === 0) this.readers.delete(target);
    }
    for (const other of me.conflictsIn) other.conflictsOut.delete(me);
    for (const other of me.conflictsOut) other.conflictsIn.delete(me);
    this.all.delete(me);
  }

  /** A committed transaction matters as long as a concurrent one runs. */
  private forgetOld(): void {
    let oldest = Infinity;
    for (const xact of this.all) {
      if (!xact.committed) oldest = Math.min(oldest, xact.lastCommitBeforeSnapshot);
    }
    for (const xact of [...this.all]) {
      if (xact.committed && xact.commitNumber! <= oldest) this.drop(xact);
    }
  }
}
