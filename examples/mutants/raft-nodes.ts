/**
 * Raft with a mistake each: the correct node with a method or two as they are often written.
 */

import type {
  AppendReply,
  Entry,
  Snapshot,
  SnapshotRequest,
  VoteRequest,
} from '../raft/messages.js';
import { RaftNode } from '../raft/node.js';
import type { Peer } from '../raft/peer.js';

/**
 * No pre-vote: a node that hears from no leader stands for election without asking first. By itself
 * that is what the paper has; a removed node then disturbs those that are left.
 */
export class WithoutPreVote extends RaftNode {
  protected override electionDue(): void {
    this.stand();
  }
}

/** No no-op: a leader waits for a command. That is slow, and uncovers other mistakes. */
export class WithoutNoOp extends WithoutPreVote {
  protected override beginTerm(): void {}
}

/** A follower says that all of its log is as the leader's, not just what the request covered. */
export class MatchIsLastIndex extends WithoutNoOp {
  protected override lastMatching(): number {
    return this.log.lastIndex;
  }
}

/** A leader answers reads before it has committed anything in its own term. */
export class ReadsBeforeOwnCommit extends RaftNode {
  protected override readIndex(): number {
    return this.commitIndex;
  }
}

/** A leader answers reads without asking whether it still is one. */
export class ReadsWithoutRound extends RaftNode {
  protected override confirmedRound(): number {
    return Infinity;
  }
}

/** Whatever comes from a leader makes a node forget whom it has voted for in this term. */
export class VotesTwice extends WithoutPreVote {
  protected override acceptLeader(from: string, term: number): boolean {
    const accepted = super.acceptLeader(from, term);
    if (accepted) this.saveVote(this.term, null);
    return accepted;
  }
}

/** The term is saved, the vote is not. */
export class VoteInMemory extends WithoutPreVote {
  protected override saveVote(term: number, votedFor: string | null): void {
    super.saveVote(term, null);
    this.votedFor = votedFor;
  }
}

/** Votes and entries are promised before they are synced; that is done later, by a heartbeat. */
export class PromisesBeforeSync extends RaftNode {
  protected override promise(...[to, message]: Parameters<RaftNode['promise']>): void {
    this.send(to, message);
  }
}

/** A leader counts its own entries before they are synced. */
export class CountsUnsyncedEntries extends RaftNode {
  protected override sync(): void {
    if (this.role === 'leader') this.durableIndex = this.log.lastIndex;
    else super.sync();
  }
}

/** A leader commits what a majority has, whatever term it is from (figure 8 of the paper). */
export class CommitsOlderTerms extends WithoutNoOp {
  protected override mayCommit(): boolean {
    return true;
  }
}

/** A vote for whoever asks first, however old the log. */
export class VotesForOldLogs extends RaftNode {
  protected override isUpToDate(): boolean {
    return true;
  }
}

/** The longer log wins, whatever the terms of its entries. */
export class VotesForLongerLogs extends RaftNode {
  protected override isUpToDate({ lastIndex }: VoteRequest): boolean {
    return lastIndex >= this.log.lastIndex;
  }
}

/** Entries that come replace all that follow, also when a request is late and they agree. */
export class CutsOffAtEveryRequest extends RaftNode {
  protected override takeEntries(entries: readonly Entry[]): void {
    const [first] = entries;
    if (first !== undefined && first.index > this.log.baseIndex) {
      if (first.index <= this.log.lastIndex) this.truncateFrom(first.index);
    }
    super.takeEntries(entries);
  }
}

/** A snapshot moves the indexes on, and brings no state along. */
export class SnapshotWithoutState extends RaftNode {
  protected override takeSnapshot(): Snapshot {
    return { ...super.takeSnapshot(), pairs: [] };
  }
}

/** A snapshot has no members, so that those from the beginning come back with it. */
export class SnapshotWithoutMembers extends RaftNode {
  private readonly first = this.members;
  protected override takeSnapshot(): Snapshot {
    return { ...super.takeSnapshot(), members: this.first };
  }
}

/** An answer to an older snapshot counts for the one that the leader has now. */
export class OldSnapshotCountsAsNew extends RaftNode {
  protected override matched(peer: Peer, reply: AppendReply): void {
    super.matched(peer, { ...reply, match: Math.max(reply.match, this.log.baseIndex) });
  }
}

/** An old snapshot that comes late is installed over a state that is newer. */
export class InstallsOldSnapshots extends RaftNode {
  protected override onSnapshotRequest(from: string, request: SnapshotRequest): void {
    if (request.term === this.term && request.snapshot.lastIndex <= this.commitIndex) {
      this.install(request.snapshot);
    }
    super.onSnapshotRequest(from, request);
  }
}

/** The members stay changed when the entry that changed them is cut off. */
export class KeepsLostMembers extends RaftNode {
  protected override truncateFrom(index: number): void {
    const { members, membersIndex } = this;
    super.truncateFrom(index);
    this.members = members;
    this.membersIndex = membersIndex;
  }
}

/** Members are changed while an earlier change is not committed yet. */
export class ChangesMembersAtOnce extends RaftNode {
  protected override mayChangeMembers(): boolean {
    return this.log.termAt(this.commitIndex) === this.term;
  }
}

/** A leader that was removed stays the leader. */
export class RemovedLeaderStays extends RaftNode {
  protected override leaveIfRemoved(): void {}
}
