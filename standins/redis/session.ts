/**
 * What the server knows about one connection, whatever carries its bytes.
 */

import type { Waiter } from './blocking.js';
import type { Database } from './database.js';
import { encode, type Protocol, Push, type Reply } from './reply.js';

/** The state between MULTI and EXEC, and what WATCH has noted. */
export interface Transaction {
  /** Commands that wait for EXEC, or undefined outside a transaction. */
  queue: string[][] | undefined;
  /** A command could not be queued. */
  failed: boolean;
  /** A watched key has changed. */
  spoilt: boolean;
  readonly watched: { database: Database; key: string }[];
}

/** What carries the bytes of a session. */
export interface Line {
  write(text: string): void;
  resume(): void;
  disconnect(): void;
}

export class Session {
  name = '';
  libraryName = '';
  libraryVersion = '';
  user = 'default';
  authenticated: boolean;
  protocol: Protocol = 2;
  /** When it came, in milliseconds since 1970. */
  readonly since: number;
  readonly transaction: Transaction = {
    queue: undefined,
    failed: false,
    spoilt: false,
    watched: [],
  };
  readonly channels = new Set<string>();
  readonly patterns = new Set<string>();
  readonly shardChannels = new Set<string>();
  /** The command that waits; nothing else of this connection runs meanwhile. */
  blocked: Waiter | undefined;
  /** Inside a transaction or a script: a command that would wait comes back empty instead. */
  mayBlock = true;
  /** CLIENT REPLY. */
  silence: 'off' | 'skip' | 'skip-next' | undefined;
  /** It is gone, or goes when its replies are sent. */
  closing = false;
  lastCommand = 'NULL';

  constructor(
    readonly id: number,
    public database: Database,
    readonly address: string,
    readonly localAddress: string,
    private readonly line: Line,
  ) {
    this.since = database.engine.now;
    this.authenticated = database.engine.config.get('requirepass') === '';
  }

  /** Subscriptions to channels and patterns, as the replies to SUBSCRIBE count them. */
  get subscriptions(): number {
    return this.channels.size + this.patterns.size;
  }

  get subscribed(): boolean {
    return this.subscriptions + this.shardChannels.size > 0;
  }

  reply(reply: Reply): void {
    if (this.silence === 'off') return;
    const text = encode(reply, this.protocol);
    if (text !== '' && this.silence !== 'skip') this.line.write(text);
  }

  /** Sends what no command asked for. */
  push(...items: Reply[]): void {
    this.line.write(encode(new Push(items), this.protocol));
  }

  /** Goes on with what has come in the meantime. */
  resume(): void {
    this.line.resume();
  }

  disconnect(): void {
    this.line.disconnect();
  }
}
