/**
 * Changes of directories that are not safe from a crash yet.
 *
 * As the journals of file systems do, a crash keeps the changes up to some point and loses what
 * came after it, and a change is there as a whole or not at all. Syncing a file or a directory
 * brings every change up to the last one that concerns it to the medium: those of its own entry and
 * of the directories above, and for a directory those of its entries.
 */

import { Directory, type Inode } from './inode.js';
import { WRITE_BACK_AGE } from './content.js';

export interface Change {
  /** When it was made, in virtual nanoseconds. */
  readonly time: number;
  /** The directories whose entries have changed. */
  readonly directories: readonly Directory[];
  /** What was entered, moved or taken out. */
  readonly inode: Inode;
  undo(): void;
}

/** Changes are written back when there are more of them. */
const MOST_CHANGES = 4096;

export class Journal {
  private changes: Change[] = [];
  private written = 0;

  add(change: Change): void {
    this.changes.push(change);
    if (this.changes.length > MOST_CHANGES) this.commit(MOST_CHANGES / 2);
  }

  /** Brings what concerns `inode` to the medium. */
  sync(inode: Inode): void {
    const { changes } = this;
    for (let i = changes.length - 1; i >= 0; i--) {
      if (concerns(changes[i], inode)) return this.commit(i + 1);
    }
  }

  private commit(count: number): void {
    this.changes = this.changes.slice(count);
    this.written += count;
  }

  /**
   * The power goes.
   * @param loses whether the change with this number is the first to be lost
   * @returns how many changes are lost
   */
  losePower(now: number, loses: (number: number) => boolean): number {
    const { changes } = this;
    let kept = 0;
    while (kept < changes.length && changes[kept].time <= now - WRITE_BACK_AGE) kept++;
    while (kept < changes.length && !loses(this.written + kept + 1)) kept++;
    for (let i = changes.length - 1; i >= kept; i--) changes[i].undo();
    this.written += changes.length;
    this.changes = [];
    return changes.length - kept;
  }
}

function concerns(change: Change, inode: Inode): boolean {
  if (inode instanceof Directory && change.directories.includes(inode)) return true;
  for (let at: Inode = inode; ; at = at.parent) {
    if (change.inode === at) return true;
    if (at.parent === undefined || at.parent === at) return false;
  }
}
