/**
 * The replicated log in memory: the entries after a snapshot, by index. A log that has never had
 * anything begins after index 0, of term 0.
 */

import type { Entry } from './messages.js';

export class RaftLog {
  /** The last index that the snapshot covers, and its term. */
  baseIndex = 0;
  baseTerm = 0;
  /** How often the log has changed: observers look at it only then. */
  changes = 0;
  /** What the last compaction has taken out, for observers. */
  compacted: readonly Entry[] = [];
  private entries: Entry[] = [];

  get lastIndex(): number {
    return this.baseIndex + this.entries.length;
  }

  get lastTerm(): number {
    const { length } = this.entries;
    return length > 0 ? this.entries[length - 1].term : this.baseTerm;
  }

  /** How many entries are kept. */
  get length(): number {
    return this.entries.length;
  }

  /** The term at an index; `undefined` when the log is shorter, or the index compacted away. */
  termAt(index: number): number | undefined {
    return index === this.baseIndex ? this.baseTerm : this.at(index)?.term;
  }

  at(index: number): Entry | undefined {
    return this.entries[index - this.baseIndex - 1];
  }

  /** The entries from an index on, which must be after the snapshot. */
  from(index: number): Entry[] {
    return this.entries.slice(index - this.baseIndex - 1);
  }

  append(entry: Entry): void {
    this.entries.push(entry);
    this.changes++;
  }

  /** Drops an entry and all after it. */
  truncateFrom(index: number): void {
    this.entries.length = index - this.baseIndex - 1;
    this.changes++;
  }

  /** Drops what a snapshot covers; what follows it stays when it agrees with the snapshot. */
  compact(index: number, term: number): void {
    const agrees = this.termAt(index) === term;
    const count = agrees ? index - this.baseIndex : 0;
    this.compacted = this.entries.slice(0, count);
    this.entries = agrees ? this.entries.slice(count) : [];
    this.baseIndex = index;
    this.baseTerm = term;
    this.changes++;
  }

  /** The last index of a term, or 0. The terms of a log never go down. */
  lastIndexOf(term: number): number {
    let index = this.lastIndex;
    while (index > this.baseIndex && this.at(index)!.term > term) index--;
    return this.termAt(index) === term ? index : 0;
  }

  /** The first index that is kept of the term at `index`. */
  firstIndexOfTermAt(index: number): number {
    const term = this.termAt(index);
    let first = index;
    while (first - 1 > this.baseIndex && this.at(first - 1)!.term === term) first--;
    return first;
  }
}
