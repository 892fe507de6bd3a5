/**
 * Who belongs to the cluster, changed one server at a time (dissertation, chapter 4).
 *
 * A node uses the latest set of members in its log, committed or not; when the entry is cut off
 * again, so is its effect. One change at a time, and none before the leader has committed an entry
 * of its own term: that any two majorities overlap rests on both.
 */

import type { Host } from './host.js';
import type { Entry } from './messages.js';
import { Persistence } from './persistence.js';
import type { Store } from './store.js';

export abstract class Membership extends Persistence {
  members: readonly string[];
  /** The entry the members are from; at most the snapshot's last index when they are older. */
  membersIndex = 0;

  constructor(host: Host, store: Store, members: readonly string[], maxLog?: number) {
    super(host, store, members, maxLog);
    this.members = members;
  }

  /** Adds a server. False: not the leader, or it cannot be done now. */
  addServer(id: string): boolean {
    return !this.isMember(id) && this.changeMembers([...this.members, id]);
  }

  /**
   * Removes a server, possibly this one, but not the last. False: not the leader, or it cannot be
   * done now.
   */
  removeServer(id: string): boolean {
    if (!this.isMember(id) || this.members.length === 1) return false;
    return this.changeMembers(this.members.filter((member) => member !== id));
  }

  isMember(id: string): boolean {
    return this.members.includes(id);
  }

  protected get majority(): number {
    return (this.members.length >> 1) + 1;
  }

  /** Whether this node has a part in elections: also as long as its removal may yet be undone. */
  protected mayStand(): boolean {
    return this.isMember(this.id) || this.membersIndex > this.commitIndex;
  }

  /** Whether the leader may propose other members now. */
  protected mayChangeMembers(): boolean {
    return this.membersIndex <= this.commitIndex && this.log.termAt(this.commitIndex) === this.term;
  }

  private changeMembers(members: readonly string[]): boolean {
    if (this.role !== 'leader' || !this.mayChangeMembers()) return false;
    this.append({ index: this.log.lastIndex + 1, term: this.term, command: null, members });
    return true;
  }

  protected override appended(entry: Entry): void {
    if (entry.members !== null) this.useMembers(entry.members, entry.index);
  }

  protected override logReplaced(): void {
    for (let index = this.log.lastIndex; index > this.log.baseIndex; index--) {
      const { members } = this.log.at(index)!;
      if (members !== null) return this.useMembers(members, index);
    }
    this.useMembers(this.snapshot.members, this.snapshot.lastIndex);
  }

  private useMembers(members: readonly string[], index: number): void {
    this.membersIndex = index;
    if (this.members === members) return;
    this.members = members;
    this.membersChanged();
  }

  /** A leader that is removed steps down when that is committed, and not before. */
  protected leaveIfRemoved(): void {
    if (this.role !== 'leader' || this.mayStand()) return;
    this.becomeFollower(this.term, null);
  }
}
