/**
 * Linearizable reads without a log entry: ReadIndex (dissertation, section 6.4).
 *
 * A read is answered once (1) the state includes all that was committed when the read began, which
 * a leader knows only after it has committed an entry of its own term, and (2) a majority has
 * answered a broadcast sent after the read began, so that no other leader had been elected by then.
 */

import type { AppendReply } from './messages.js';
import type { Peer } from './peer.js';
import { Snapshots } from './snapshots.js';

export type ReadResult = { readonly value: string | undefined } | 'refused';

interface PendingRead {
  readonly key: string;
  /** The read sees at least this much of the log. */
  readonly index: number;
  readonly round: number;
  readonly done: (result: ReadResult) => void;
}

export abstract class Reads extends Snapshots {
  private pendingReads: PendingRead[] = [];

  /** Reads a key. `done` is called at once when this is no leader, and later when it ceases to be. */
  read(key: string, done: (result: ReadResult) => void): void {
    if (this.role !== 'leader') {
      done('refused');
      return;
    }
    const index = this.readIndex();
    this.pendingReads.push({ key, index, round: this.round + 1, done });
    this.broadcast();
    this.answerReads();
  }

  /** The no-op at the start of the term is after all that earlier leaders have committed. */
  protected readIndex(): number {
    return Math.max(this.commitIndex, this.termStart);
  }

  /** The latest broadcast that shows that this is still the leader. */
  protected confirmedRound(): number {
    return this.reachedByMajority(round, this.round);
  }

  private answerReads(): void {
    if (this.pendingReads.length === 0) return;
    const confirmed = this.confirmedRound();
    this.pendingReads = this.pendingReads.filter((read) => {
      if (read.round > confirmed || read.index > this.lastApplied) return true;
      read.done({ value: this.machine.get(read.key) });
      return false;
    });
  }

  protected override acknowledged(_reply: AppendReply): void {
    this.answerReads();
  }

  protected override stepDown(): void {
    super.stepDown();
    const refused = this.pendingReads;
    this.pendingReads = [];
    for (const { done } of refused) done('refused');
  }
}

const round = (peer: Peer): number => peer.round;
