/**
 * Commands that wait for a key: BLPOP, XREAD BLOCK and the like.
 *
 * A command that finds nothing leaves an attempt behind. When one of its keys changes, and what
 * changed it (a command, transaction or script) is over, the attempts are made again, first come
 * first, until one of them takes what is there.
 */

import type { Database } from './database.js';
import type { Engine } from './engine.js';
import { ErrorReply, NO_REPLY, type Reply } from './reply.js';
import type { Session } from './session.js';

const DELAY_MAX = 2 ** 31 - 1;

export interface Waiter {
  readonly session: Session;
  readonly database: Database;
  readonly keys: readonly string[];
  /** The reply, or undefined while there is nothing for it. */
  readonly attempt: () => Reply | undefined;
  /** What is said when the time is up. */
  readonly empty: Reply;
  timer: NodeJS.Timeout | undefined;
}

export class Blocking {
  /** Keys that have changed and are waited for. */
  private changed: { database: Database; key: string }[] = [];
  private served: Session[] = [];

  constructor(private readonly engine: Engine) {}

  /**
   * Makes the attempt, and has it made again until it succeeds.
   * @param timeout in milliseconds; 0 is for ever
   */
  wait(
    session: Session,
    keys: readonly string[],
    timeout: number,
    empty: Reply,
    attempt: () => Reply | undefined,
  ): Reply {
    const reply = attempt();
    if (reply !== undefined) return reply;
    if (!session.mayBlock) return empty;
    const { database } = session;
    const waiter: Waiter = { session, database, keys, attempt, empty, timer: undefined };
    session.blocked = waiter;
    for (const key of keys) {
      const waiters = database.waiters.get(key) ?? new Set();
      database.waiters.set(key, waiters.add(waiter));
    }
    if (timeout > 0) {
      const delay = Math.min(Math.ceil(timeout), DELAY_MAX);
      waiter.timer = setTimeout(() => this.timeOut(waiter), delay);
    }
    return NO_REPLY;
  }

  ready(database: Database, key: string): void {
    this.changed.push({ database, key });
  }

  /** Serves those who wait for what has changed; that may change more. */
  serve(): void {
    while (this.changed.length > 0) {
      const changed = this.changed;
      this.changed = [];
      for (const { database, key } of changed) {
        for (const waiter of [...(database.waiters.get(key) ?? [])]) {
          // Another of its keys may have served it.
          if (waiter.session.blocked === waiter) this.attempt(waiter);
        }
      }
    }
  }

  /** Sessions that go on since they were served. */
  takeServed(): Session[] {
    const served = this.served;
    this.served = [];
    return served;
  }

  /** Ends the wait with a reply. */
  release(waiter: Waiter, reply: Reply): void {
    this.cancel(waiter);
    waiter.session.reply(reply);
    this.served.push(waiter.session);
  }

  /** Ends the wait; nobody hears of it. */
  cancel(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    waiter.session.blocked = undefined;
    for (const key of waiter.keys) {
      const waiters = waiter.database.waiters.get(key);
      waiters?.delete(waiter);
      if (waiters?.size === 0) waiter.database.waiters.delete(key);
    }
  }

  private attempt(waiter: Waiter): void {
    let reply: Reply | undefined;
    try {
      reply = waiter.attempt();
    } catch (error) {
      if (!(error instanceof ErrorReply)) throw error;
      // A value of another kind is not what it waits for.
      if (error.message.startsWith('WRONGTYPE')) return;
      reply = error;
    }
    if (reply !== undefined) this.release(waiter, reply);
  }

  private timeOut(waiter: Waiter): void {
    this.engine.act(() => this.release(waiter, waiter.empty));
  }
}
