/**
 * Replication: a leader sends its log, with every heartbeat what a follower lacks, and commits what
 * a majority has (dissertation, sections 3.5 and 3.6).
 */

import { type SimTimer } from 'detsim';
import { Election } from './election.js';
import type { AppendReply, AppendRequest, Command, Entry } from './messages.js';
import { Peer } from './peer.js';
import { ELECTION_MAX, HEARTBEAT } from './state.js';

const NO_ENTRIES: readonly Entry[] = Object.freeze([]);

/** A submitted command: told whether it was committed, when that is decided. */
interface Waiting {
  readonly term: number;
  readonly done: (committed: boolean) => void;
}

export abstract class Replication extends Election {
  protected readonly peers = new Map<string, Peer>();
  /** Counts the broadcasts of this leader. */
  protected round = 0;
  /** The first entry of this leader's term: a no-op, which commits what earlier terms left. */
  protected termStart = 0;
  protected readonly waiting = new Map<number, Waiting>();
  private heartbeatTimer: SimTimer | undefined;
  /** What this broadcast has sent already. */
  private request: AppendRequest | undefined;

  /**
   * Takes a command, if this is the leader; it goes out with the next heartbeat. `done` is told
   * whether it was committed, or never can be; it may never be called.
   */
  submit(command: Command, done?: (committed: boolean) => void): boolean {
    if (this.role !== 'leader') return false;
    const index = this.log.lastIndex + 1;
    if (done !== undefined) this.waiting.set(index, { term: this.term, done });
    this.append({ index, term: this.term, command, members: null });
    return true;
  }

  // ---- the leader ------------------------------------------------------------------------------

  protected override lead(): void {
    this.stopElectionTimer();
    this.peers.clear();
    this.membersChanged();
    this.termStart = this.log.lastIndex + 1;
    this.beginTerm();
    this.beat();
  }

  /** Without an entry of its own a leader could commit nothing, nor know what is committed. */
  protected beginTerm(): void {
    this.append({ index: this.termStart, term: this.term, command: null, members: null });
  }

  protected override stepDown(): void {
    this.heartbeatTimer?.cancel();
    this.heartbeatTimer = undefined;
  }

  protected override membersChanged(): void {
    for (const id of this.peers.keys()) if (!this.isMember(id)) this.peers.delete(id);
    for (const id of this.members) {
      if (id === this.id || this.peers.has(id)) continue;
      this.peers.set(id, new Peer(id, this.log.lastIndex + 1, this.host.now));
    }
  }

  private readonly beat = (): void => {
    // A leader that a majority does not answer would keep clients waiting for nothing.
    if (!this.hearsMajority()) {
      this.becomeFollower(this.term, null);
      return;
    }
    this.heartbeatTimer = this.host.after(HEARTBEAT, this.beat);
    this.broadcast();
  };

  private hearsMajority(): boolean {
    const since = this.host.now - ELECTION_MAX;
    let count = this.isMember(this.id) ? 1 : 0;
    for (const peer of this.peers.values()) if (peer.answeredAt >= since) count++;
    return count >= this.majority;
  }

  protected broadcast(): void {
    this.sync();
    this.round++;
    this.request = undefined;
    for (const peer of this.peers.values()) this.replicateTo(peer);
    // A cluster of one has nobody to wait for.
    if (this.peers.size === 0) this.advanceCommit();
  }

  private replicateTo(peer: Peer): void {
    const { log } = this;
    if (peer.next <= log.baseIndex) {
      this.sendSnapshot(peer.id, this.round);
      return;
    }
    const prevIndex = peer.next - 1;
    // Most followers are at the same place, and get the same.
    if (this.request?.prevIndex !== prevIndex) {
      this.request = {
        type: 'append request',
        term: this.term,
        prevIndex,
        prevTerm: log.termAt(prevIndex)!,
        entries: prevIndex < log.lastIndex ? log.from(peer.next) : NO_ENTRIES,
        commit: this.commitIndex,
        round: this.round,
      };
    }
    this.send(peer.id, this.request);
  }

  protected onAppendReply(from: string, reply: AppendReply): void {
    if (reply.term > this.term) {
      this.becomeFollower(reply.term, null);
      return;
    }
    const peer = this.peers.get(from);
    if (this.role !== 'leader' || reply.term !== this.term || peer === undefined) return;
    peer.answeredAt = this.host.now;
    if (reply.round > peer.round) peer.round = reply.round;
    if (reply.success) this.matched(peer, reply);
    else this.backUp(peer, reply);
    this.acknowledged(reply);
  }

  protected matched(peer: Peer, { match }: AppendReply): void {
    if (match <= peer.match) return;
    peer.match = match;
    peer.next = Math.max(peer.next, match + 1);
    if (match > this.commitIndex) this.advanceCommit();
  }

  /** Skips a term at a time (section 5.3 of the paper), and never below what is known to match. */
  private backUp(peer: Peer, { conflictIndex, conflictTerm }: AppendReply): void {
    const last = conflictTerm > 0 ? this.log.lastIndexOf(conflictTerm) : 0;
    const next = Math.max(peer.match + 1, last > 0 ? last + 1 : conflictIndex);
    // A late reply can tell of a log that has grown meanwhile.
    if (next >= peer.next) return;
    peer.next = next;
    this.request = undefined;
    this.replicateTo(peer);
  }

  private advanceCommit(): void {
    const index = this.reachedByMajority(match, this.durableIndex);
    if (index > this.commitIndex && this.mayCommit(index)) this.commitTo(index);
  }

  /** Entries of earlier terms are committed along with one of this term only (figure 8). */
  protected mayCommit(index: number): boolean {
    return this.log.termAt(index) === this.term;
  }

  /** The highest value that a majority of the members has; `own` is this node's, if it is one. */
  protected reachedByMajority(value: (peer: Peer) => number, own: number): number {
    const values: number[] = [];
    for (const peer of this.peers.values()) values.push(value(peer));
    // A leader that is being removed commits that without counting itself.
    if (this.isMember(this.id)) values.push(own);
    values.sort(descending);
    return values[this.majority - 1];
  }

  // ---- followers -------------------------------------------------------------------------------

  /** Whether a message of a leader is of the current term; if it is, that is the leader. */
  protected acceptLeader(from: string, term: number): boolean {
    if (term < this.term) return false;
    if (term > this.term || this.role !== 'follower') this.becomeFollower(term, from);
    this.leader = from;
    this.heardAt = this.host.now;
    this.resetElectionTimer();
    return true;
  }

  protected onAppendRequest(from: string, request: AppendRequest): void {
    const { log } = this;
    const { prevIndex, prevTerm, entries, commit, round } = request;
    if (!this.acceptLeader(from, request.term)) {
      this.reply(from, round, false, 0, 0, 0);
      return;
    }
    // What a snapshot covers is committed, so it is as the leader's.
    const found = log.termAt(prevIndex);
    if (prevIndex >= log.baseIndex && found !== prevTerm) {
      if (found === undefined) this.reply(from, round, false, 0, log.lastIndex + 1, 0);
      else this.reply(from, round, false, 0, log.firstIndexOfTermAt(prevIndex), found);
      return;
    }
    this.takeEntries(entries);
    // What follows these entries in this log is not known to be the leader's.
    const last = this.lastMatching(request);
    if (commit > this.commitIndex) this.commitTo(Math.min(commit, last));
    this.reply(from, round, true, last, 0, 0);
  }

  /** Up to here this log is as the leader's, once a request is taken. */
  protected lastMatching({ prevIndex, entries }: AppendRequest): number {
    return prevIndex + entries.length;
  }

  /** Appends what is new. Only a conflict cuts the log off: an old request may come late. */
  protected takeEntries(entries: readonly Entry[]): void {
    const { log } = this;
    for (const entry of entries) {
      if (entry.index <= log.baseIndex || log.termAt(entry.index) === entry.term) continue;
      if (entry.index <= log.lastIndex) this.truncateFrom(entry.index);
      this.append(entry);
    }
  }

  protected reply(
    to: string,
    round: number,
    success: boolean,
    match: number,
    conflictIndex: number,
    conflictTerm: number,
  ): void {
    const { term } = this;
    this.promise(to, {
      type: 'append reply',
      term,
      success,
      match,
      conflictIndex,
      conflictTerm,
      round,
    });
  }

  // ---- both ------------------------------------------------------------------------------------

  protected commitTo(index: number): void {
    if (index <= this.commitIndex) return;
    this.commitIndex = index;
    while (this.lastApplied < index) {
      const entry = this.log.at(++this.lastApplied)!;
      if (entry.command !== null) this.machine.apply(entry.command);
      if (entry.members !== null) this.appliedMembers = entry.members;
      this.tellSubmitter(entry);
    }
    this.applied();
    this.leaveIfRemoved();
  }

  private tellSubmitter({ index, term }: Entry): void {
    const waiting = this.waiting.get(index);
    if (waiting === undefined) return;
    this.waiting.delete(index);
    waiting.done(waiting.term === term);
  }
}

const match = (peer: Peer): number => peer.match;
const descending = (a: number, b: number): number => b - a;
