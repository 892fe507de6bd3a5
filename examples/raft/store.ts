/** What a node asks of stable storage; and a store that keeps nothing, for nodes that never crash. */

import type { Entry, Snapshot } from './messages.js';

export interface Saved {
  readonly term: number;
  readonly votedFor: string | null;
  readonly snapshot: Snapshot;
  /** The entries after the snapshot. */
  readonly entries: readonly Entry[];
}

export interface Store {
  /** What was saved before; `undefined` when this is the first start. */
  load(): Saved | undefined;
  saveVote(term: number, votedFor: string | null): void;
  /** Saves an entry in place of whatever was saved at its index and after it. */
  append(entry: Entry): void;
  /** Saves this instead of all that was saved, and syncs. */
  replace(saved: Saved): void;
  /** When it returns, what was saved survives a crash. */
  sync(): void;
}

export const noStore: Store = {
  load: () => undefined,
  saveVote() {},
  append() {},
  replace() {},
  sync() {},
};
