/**
 * What Raft nodes send each other, and what they send it about: log entries and snapshots.
 *
 * The names are those of Ongaro's dissertation ("Consensus: Bridging Theory and Practice", 2014).
 * A snapshot is acknowledged with an append reply, as if its entries had been appended one by one.
 */

/** A write of the replicated key-value map. */
export interface Command {
  readonly key: string;
  readonly value: string;
}

/** An entry of the log: a command, a new set of members, or (with neither) a leader's no-op. */
export interface Entry {
  readonly index: number;
  readonly term: number;
  readonly command: Command | null;
  /** All members of the cluster from this entry on. */
  readonly members: readonly string[] | null;
}

/** What stands for all entries up to `lastIndex`. */
export interface Snapshot {
  readonly lastIndex: number;
  readonly lastTerm: number;
  /** The members as of `lastIndex`. */
  readonly members: readonly string[];
  /** The pairs of the map as of `lastIndex`. */
  readonly pairs: readonly (readonly [key: string, value: string])[];
}

export interface VoteRequest {
  readonly type: 'vote request';
  /** The candidate's term; of a pre-vote the term in which it would stand. */
  readonly term: number;
  readonly preVote: boolean;
  readonly lastIndex: number;
  readonly lastTerm: number;
}

export interface VoteReply {
  readonly type: 'vote reply';
  /** The voter's term; of a granted pre-vote the term that was asked for. */
  readonly term: number;
  readonly preVote: boolean;
  readonly granted: boolean;
}

/** AppendEntries; without entries it is a heartbeat. */
export interface AppendRequest {
  readonly type: 'append request';
  readonly term: number;
  readonly prevIndex: number;
  readonly prevTerm: number;
  readonly entries: readonly Entry[];
  readonly commit: number;
  /** Counts the leader's broadcasts; a read waits until one sent after it began is answered. */
  readonly round: number;
}

export interface SnapshotRequest {
  readonly type: 'snapshot request';
  readonly term: number;
  readonly snapshot: Snapshot;
  readonly round: number;
}

export interface AppendReply {
  readonly type: 'append reply';
  readonly term: number;
  readonly success: boolean;
  /** On success: up to here the follower's log is known to be as the leader's. */
  readonly match: number;
  /** Otherwise: where the leader should go on, unless it has entries of `conflictTerm`. */
  readonly conflictIndex: number;
  /** The term of the entry in the way; 0 when there is none, because the log is too short. */
  readonly conflictTerm: number;
  readonly round: number;
}

export type Message = VoteRequest | VoteReply | AppendRequest | SnapshotRequest | AppendReply;
