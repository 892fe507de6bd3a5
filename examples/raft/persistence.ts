/**
 * Term, vote and log go to stable storage as they change. Whatever promises something to another
 * node (a vote, an entry) leaves through {@link Persistence.promise}, which syncs first.
 */

import type { Entry, Message, Snapshot } from './messages.js';
import { NodeState } from './state.js';

export abstract class Persistence extends NodeState {
  /** The last index of this log that is known to survive a crash. */
  protected durableIndex = 0;
  private unsynced = false;

  /** Takes up what was saved before a crash. What was committed after the snapshot is not known. */
  protected recover(): void {
    const saved = this.store.load();
    if (saved === undefined) return this.saveAll();
    this.term = saved.term;
    this.votedFor = saved.votedFor;
    this.snapshot = saved.snapshot;
    this.log.compact(saved.snapshot.lastIndex, saved.snapshot.lastTerm);
    for (const entry of saved.entries) this.log.append(entry);
    this.durableIndex = this.log.lastIndex;
    this.restore(saved.snapshot);
  }

  /** The state is that of a snapshot now. */
  protected restore(snapshot: Snapshot): void {
    this.machine.restore(snapshot.pairs);
    this.appliedMembers = snapshot.members;
    this.commitIndex = this.lastApplied = snapshot.lastIndex;
    this.logReplaced();
  }

  protected saveVote(term: number, votedFor: string | null): void {
    this.term = term;
    this.votedFor = votedFor;
    this.store.saveVote(term, votedFor);
    this.unsynced = true;
  }

  protected append(entry: Entry): void {
    this.log.append(entry);
    this.store.append(entry);
    this.unsynced = true;
    this.appended(entry);
  }

  /** The entry that is appended next replaces the others in storage, too. */
  protected truncateFrom(index: number): void {
    this.log.truncateFrom(index);
    this.durableIndex = Math.min(this.durableIndex, index - 1);
    this.logReplaced();
  }

  /** Puts a snapshot in place of the entries it covers, in memory. */
  protected compact(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    this.log.compact(snapshot.lastIndex, snapshot.lastTerm);
  }

  /** Saves everything anew, from the snapshot on. */
  protected saveAll(): void {
    const { term, votedFor, snapshot } = this;
    const entries = this.log.from(snapshot.lastIndex + 1);
    this.store.replace({ term, votedFor, snapshot, entries });
    this.unsynced = false;
    this.durableIndex = this.log.lastIndex;
  }

  protected sync(): void {
    if (!this.unsynced) return;
    this.store.sync();
    this.unsynced = false;
    this.durableIndex = this.log.lastIndex;
  }

  /** Sends a message that others will rely on. */
  protected promise(to: string, message: Message): void {
    this.sync();
    this.send(to, message);
  }
}
