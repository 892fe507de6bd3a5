/** The replicated state machine: a map of strings. It changes by committed commands only. */

import type { Command, Snapshot } from './messages.js';

export class KeyValueMachine {
  private pairs = new Map<string, string>();

  apply(command: Command): void {
    this.pairs.set(command.key, command.value);
  }

  get(key: string): string | undefined {
    return this.pairs.get(key);
  }

  /** All of the state, for a snapshot. */
  save(): Snapshot['pairs'] {
    return [...this.pairs];
  }

  restore(pairs: Snapshot['pairs']): void {
    this.pairs = new Map(pairs);
  }
}
