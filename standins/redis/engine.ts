/**
 * The database engine: takes commands one at a time, each as a whole, and answers.
 *
 * It knows nothing of sockets. Time is read once per command, so that a command, a transaction or
 * a script sees one time.
 */

import { Blocking } from './blocking.js';
import type { Command } from './commands/command.js';
import { commandOf } from './commands/index.js';
import { DATABASES, freshConfig } from './config.js';
import { Database } from './database.js';
import { ExpiryTimer } from './expiry.js';
import { Scripts } from './lua/scripts.js';
import { PubSub } from './pubsub.js';
import { ErrorReply, type Reply, Status } from './reply.js';
import type { Session } from './session.js';

const QUEUED = new Status('QUEUED');
/** Commands that run at once inside a transaction. */
const NOT_QUEUED = new Set(['exec', 'discard', 'multi', 'watch', 'quit', 'reset']);
/** Commands of a connection that listens, in RESP2. */
const WHILE_LISTENING = /^(?:[ps]?(?:un)?subscribe|ping|quit|reset)$/;
const WITHOUT_PASSWORD = new Set(['auth', 'hello', 'quit', 'reset']);

export class Engine {
  /** Milliseconds since 1970 when the command began. */
  now = Date.now();
  readonly started = this.now;
  readonly config = freshConfig();
  readonly blocking = new Blocking(this);
  readonly expiry = new ExpiryTimer(this);
  readonly pubsub = new PubSub();
  readonly scripts = new Scripts(this);
  readonly databases: readonly Database[];
  readonly sessions = new Map<number, Session>();
  /** Changes to keys since the start. */
  changes = 0;
  commandsProcessed = 0;
  connectionsReceived = 0;
  /** Connections that have something to send. */
  readonly unsent = new Set<{ send(): void }>();
  private settling = false;

  constructor() {
    this.databases = Array.from({ length: DATABASES }, (_, index) => new Database(index, this));
  }

  nextSessionId(): number {
    return ++this.connectionsReceived;
  }

  /** Takes a request of a connection, and replies to it by the session. */
  request(session: Session, words: string[]): void {
    this.commandsProcessed++;
    session.reply(this.answer(session, words));
    if (session.silence === 'skip') session.silence = undefined;
    else if (session.silence === 'skip-next') session.silence = 'skip';
    this.settle();
  }

  /** Does something now: reads the clock first, and sends what comes of it at the end. */
  act(work: () => void): void {
    this.now = Date.now();
    work();
    this.settle();
    for (const connection of this.unsent) connection.send();
    this.unsent.clear();
  }

  /** Serves those who wait, and lets them go on. */
  private settle(): void {
    if (this.settling) return;
    this.settling = true;
    for (;;) {
      this.blocking.serve();
      const served = this.blocking.takeServed();
      if (served.length === 0) break;
      for (const session of served) session.resume();
    }
    this.settling = false;
  }

  /** Runs a command now, whatever the state of its session. */
  run(session: Session, command: Command, words: string[]): Reply {
    try {
      return command.run(session, words);
    } catch (error) {
      if (error instanceof ErrorReply) return error;
      throw error;
    }
  }

  listensTo(kind: string): boolean {
    const kinds = this.config.get('notify-keyspace-events')!;
    return kinds.includes(kind) || (kinds.includes('A') && kind !== 'm' && kind !== 'n');
  }

  /** Publishes a keyspace notification, if it is asked for. */
  notify(database: Database, key: string, event: string, kind: string): void {
    const kinds = this.config.get('notify-keyspace-events')!;
    if (kinds === '' || !this.listensTo(kind)) return;
    if (kinds.includes('K')) this.pubsub.publish(`__keyspace@${database.index}__:${key}`, event);
    if (kinds.includes('E')) this.pubsub.publish(`__keyevent@${database.index}__:${event}`, key);
  }

  /** The connection is gone. */
  leave(session: Session): void {
    session.closing = true;
    if (session.blocked !== undefined) this.blocking.cancel(session.blocked);
    unwatch(session);
    this.pubsub.leave(session);
    this.sessions.delete(session.id);
  }

  close(): void {
    this.expiry.stop();
    for (const session of [...this.sessions.values()]) this.leave(session);
  }

  private answer(session: Session, words: string[]): Reply {
    const { transaction } = session;
    let command: Command;
    try {
      command = commandOf(words);
      this.admit(session, command);
    } catch (error) {
      if (!(error instanceof ErrorReply)) throw error;
      if (transaction.queue !== undefined) transaction.failed = true;
      return error;
    }
    session.lastCommand = command.name;
    if (transaction.queue !== undefined && !NOT_QUEUED.has(command.name)) {
      if (command.notQueued) {
        transaction.failed = true;
        return new ErrorReply('ERR Command not allowed inside a transaction');
      }
      transaction.queue.push(words);
      return QUEUED;
    }
    return this.run(session, command, words);
  }

  /** @throws {ErrorReply} when the connection may not run it now */
  private admit(session: Session, command: Command): void {
    if (!session.authenticated && !WITHOUT_PASSWORD.has(command.name)) {
      throw new ErrorReply('NOAUTH Authentication required.');
    }
    if (session.protocol === 2 && session.subscribed && !WHILE_LISTENING.test(command.name)) {
      throw new ErrorReply(
        `ERR Can't execute '${command.name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
      );
    }
  }
}

/** Forgets the watched keys, and whether they have changed. */
export function unwatch(session: Session): void {
  const { transaction } = session;
  for (const { database, key } of transaction.watched) {
    const watchers = database.watchers.get(key);
    watchers?.delete(session);
    if (watchers?.size === 0) database.watchers.delete(key);
  }
  transaction.watched.length = 0;
  transaction.spoilt = false;
}
