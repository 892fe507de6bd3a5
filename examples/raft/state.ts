/**
 * What every part of a node shares: its state as in figure 2 of the Raft paper, and its ties to
 * the process it runs in.
 *
 * A node is one class in layers, a file each: state, persistence, membership, election,
 * replication, snapshots, reads. A layer calls down directly, and up through the abstract methods
 * declared here. (So a planted bug is a subclass that overrides a method or two.)
 */

import { millisecond, type Random } from 'detsim';
import type { Host } from './host.js';
import { RaftLog } from './log.js';
import { KeyValueMachine } from './machine.js';
import type { AppendReply, Entry, Message, Snapshot } from './messages.js';
import type { Store } from './store.js';

/** All in virtual nanoseconds. */
export const HEARTBEAT = 50 * millisecond;
export const ELECTION_MIN = 150 * millisecond;
export const ELECTION_MAX = 300 * millisecond;

/** A log with more entries than this is compacted, unless the node is told otherwise. */
export const MAX_LOG = 50;

/** The index that stands for the founding of the cluster; the first entry comes after it. */
export const FOUNDING = 1;

export type Role = 'follower' | 'pre-candidate' | 'candidate' | 'leader';

export abstract class NodeState {
  // Persistent.
  term = 0;
  votedFor: string | null = null;
  readonly log = new RaftLog();
  snapshot: Snapshot;

  // Volatile.
  role: Role = 'follower';
  /** The leader of the current term, as far as known. */
  leader: string | null = null;
  commitIndex = 0;
  lastApplied = 0;
  readonly machine = new KeyValueMachine();
  /** The members as of `lastApplied`, for snapshots. */
  protected appliedMembers: readonly string[];

  readonly id: string;
  protected readonly random: Random;

  /**
   * @param members those the cluster began with; none for a node that waits to be added
   * @param maxLog how many entries the log may have until it is compacted
   */
  constructor(
    protected readonly host: Host,
    protected readonly store: Store,
    members: readonly string[],
    protected readonly maxLog = MAX_LOG,
  ) {
    this.id = host.id;
    this.random = host.sim.random(host.id);
    // The founders have a snapshot of nothing but themselves, which a newcomer has to be sent.
    const lastIndex = members.length > 0 ? FOUNDING : 0;
    this.snapshot = { lastIndex, lastTerm: 0, members, pairs: [] };
    this.log.compact(lastIndex, 0);
    this.commitIndex = this.lastApplied = lastIndex;
    this.appliedMembers = members;
  }

  protected send(to: string, message: Message): void {
    this.host.send(to, message);
  }

  // ---- what higher layers do -------------------------------------------------------------------

  /** An entry was appended to the log. */
  protected abstract appended(entry: Entry): void;
  /** A snapshot was installed or recovered, or the end of the log cut off. */
  protected abstract logReplaced(): void;
  protected abstract membersChanged(): void;
  protected abstract becomeFollower(term: number, leader: string | null): void;
  /** This node has just been elected. */
  protected abstract lead(): void;
  /** This node was leader and is no more. */
  protected abstract stepDown(): void;
  /** Committed entries were applied. */
  protected abstract applied(): void;
  /** Sends a follower the snapshot instead of entries that are compacted away. */
  protected abstract sendSnapshot(to: string, round: number): void;
  /** A follower has answered in the current term. */
  protected abstract acknowledged(reply: AppendReply): void;
}
