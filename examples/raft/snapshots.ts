/**
 * Snapshots (dissertation, chapter 5): a log that has grown long is replaced by the state it led
 * to, with the members as of then; a follower that needs what is gone is sent the snapshot.
 */

import type { Snapshot, SnapshotRequest } from './messages.js';
import { Replication } from './replication.js';

export abstract class Snapshots extends Replication {
  protected override applied(): void {
    if (this.log.length <= this.maxLog) return;
    this.compact(this.takeSnapshot());
    this.saveAll();
  }

  protected takeSnapshot(): Snapshot {
    return {
      lastIndex: this.lastApplied,
      lastTerm: this.log.termAt(this.lastApplied)!,
      members: this.appliedMembers,
      pairs: this.machine.save(),
    };
  }

  protected override sendSnapshot(to: string, round: number): void {
    this.send(to, { type: 'snapshot request', term: this.term, snapshot: this.snapshot, round });
  }

  protected onSnapshotRequest(from: string, { term, snapshot, round }: SnapshotRequest): void {
    if (!this.acceptLeader(from, term)) {
      this.reply(from, round, false, 0, 0, 0);
      return;
    }
    if (snapshot.lastIndex > this.commitIndex) this.install(snapshot);
    this.reply(from, round, true, snapshot.lastIndex, 0, 0);
  }

  protected install(snapshot: Snapshot): void {
    this.compact(snapshot);
    this.restore(snapshot);
    // Whether the entries that were waited for are among those covered cannot be told.
    for (const index of this.waiting.keys()) {
      if (index <= snapshot.lastIndex) this.waiting.delete(index);
    }
    this.saveAll();
  }
}
