/**
 * Elections, with a pre-vote (dissertation, sections 3.4, 4.2.3 and 9.6).
 *
 * A node that hears from no leader first asks whether it could win. Those that do hear from one
 * say no, so that a node that was cut off or removed does not push up the term and depose a leader.
 */

import { type SimTimer } from 'detsim';
import type { VoteReply, VoteRequest } from './messages.js';
import { Membership } from './membership.js';
import { ELECTION_MAX, ELECTION_MIN } from './state.js';

export abstract class Election extends Membership {
  /** When the leader was last heard, in virtual nanoseconds. */
  protected heardAt = -Infinity;
  private votes = new Set<string>();
  private deadline = 0;
  /** Due at the deadline, or before it: then it is set anew. So a heartbeat cancels no timer. */
  private electionTimer: SimTimer | undefined;

  protected resetElectionTimer(): void {
    this.deadline = this.host.now + this.random.integer(ELECTION_MIN, ELECTION_MAX);
    if (this.electionTimer !== undefined) {
      if (this.electionTimer.due <= this.deadline) return;
      this.electionTimer.cancel();
    }
    this.electionTimer = this.host.after(this.deadline - this.host.now, this.onElectionTimer);
  }

  protected stopElectionTimer(): void {
    this.electionTimer?.cancel();
    this.electionTimer = undefined;
  }

  private readonly onElectionTimer = (): void => {
    this.electionTimer = undefined;
    if (this.role === 'leader' || !this.mayStand()) return;
    if (this.host.now < this.deadline) {
      this.electionTimer = this.host.after(this.deadline - this.host.now, this.onElectionTimer);
      return;
    }
    this.resetElectionTimer();
    this.electionDue();
  };

  protected electionDue(): void {
    this.role = 'pre-candidate';
    this.leader = null;
    this.askForVotes(true, this.term + 1);
  }

  protected stand(): void {
    this.role = 'candidate';
    this.leader = null;
    this.saveVote(this.term + 1, this.id);
    this.resetElectionTimer();
    this.askForVotes(false, this.term);
  }

  private askForVotes(preVote: boolean, term: number): void {
    const { lastIndex, lastTerm } = this.log;
    this.votes.clear();
    for (const member of this.members) {
      if (member === this.id) continue;
      this.promise(member, { type: 'vote request', term, preVote, lastIndex, lastTerm });
    }
    this.countVote(this.id);
  }

  protected countVote(from: string): void {
    if (!this.isMember(from)) return;
    this.votes.add(from);
    if (this.votes.size < this.majority) return;
    if (this.role === 'pre-candidate') {
      this.stand();
    } else {
      this.sync();
      this.role = 'leader';
      this.leader = this.id;
      this.lead();
    }
  }

  protected onVoteRequest(from: string, request: VoteRequest): void {
    if (request.preVote) {
      const granted = request.term > this.term && !this.hearsLeader() && this.isUpToDate(request);
      const term = granted ? request.term : this.term;
      this.promise(from, { type: 'vote reply', term, preVote: true, granted });
      return;
    }
    if (request.term > this.term) this.becomeFollower(request.term, null);
    const granted = request.term === this.term && this.mayVoteFor(from, request);
    if (granted) {
      if (this.votedFor === null) this.saveVote(this.term, from);
      this.resetElectionTimer();
    }
    this.promise(from, { type: 'vote reply', term: this.term, preVote: false, granted });
  }

  /** One vote a term, for a candidate that has everything that may be committed. */
  protected mayVoteFor(candidate: string, request: VoteRequest): boolean {
    return (
      (this.votedFor === null || this.votedFor === candidate) &&
      this.role !== 'leader' &&
      this.isUpToDate(request)
    );
  }

  /** Whether the candidate's log is at least as up to date as this one. */
  protected isUpToDate({ lastTerm, lastIndex }: VoteRequest): boolean {
    const { log } = this;
    return lastTerm > log.lastTerm || (lastTerm === log.lastTerm && lastIndex >= log.lastIndex);
  }

  private hearsLeader(): boolean {
    return this.role === 'leader' || this.host.now - this.heardAt < ELECTION_MIN;
  }

  protected onVoteReply(from: string, reply: VoteReply): void {
    const { granted, preVote, term } = reply;
    if (granted && preVote) {
      if (this.role === 'pre-candidate' && term === this.term + 1) this.countVote(from);
    } else if (term > this.term) {
      this.becomeFollower(term, null);
    } else if (granted && this.role === 'candidate' && term === this.term) {
      this.countVote(from);
    }
  }

  protected override becomeFollower(term: number, leader: string | null): void {
    const led = this.role === 'leader';
    // Within a term the vote stays what it is.
    if (term > this.term) this.saveVote(term, null);
    this.role = 'follower';
    this.leader = leader;
    if (led) this.stepDown();
    if (this.electionTimer === undefined) this.resetElectionTimer();
  }
}
