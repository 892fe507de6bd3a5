/** A Raft node: all layers together, on a network. */

import type { Message } from './messages.js';
import { Reads } from './reads.js';

export class RaftNode extends Reads {
  /** Begins with what its storage has kept of an earlier life. */
  start(): void {
    this.recover();
    this.resetElectionTimer();
  }

  receive(message: Message, from: string): void {
    switch (message.type) {
      case 'append request':
        return this.onAppendRequest(from, message);
      case 'append reply':
        return this.onAppendReply(from, message);
      case 'vote request':
        return this.onVoteRequest(from, message);
      case 'vote reply':
        return this.onVoteReply(from, message);
      case 'snapshot request':
        return this.onSnapshotRequest(from, message);
    }
  }
}
