/** What a leader knows about another member; and what a majority has reached. */

export class Peer {
  /** The next entry to send. */
  next: number;
  /** Up to here its log is known to be as the leader's. */
  match = 0;
  /** The latest broadcast it has answered. */
  round = 0;
  /** When it last answered, in virtual nanoseconds. */
  answeredAt: number;

  constructor(
    readonly id: string,
    next: number,
    now: number,
  ) {
    this.next = next;
    this.answeredAt = now;
  }
}
