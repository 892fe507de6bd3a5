/**
 * A PostgreSQL that lives inside of a simulation, and that clients reach by TCP as they are.
 *
 * It is a program like any other there: it uses node:net and timers, so what a simulation decides
 * about these decides how its sessions interleave.
 */

import { randomInt } from 'node:crypto';
import net from 'node:net';
import { Connection } from './connection.js';
import { Database } from './engine/database.js';
import { finish } from './engine/wait.js';
import { unsupported } from './errors.js';
import { apart } from '../../runtime/tasks/apart.js';
import { loadParser, parse } from './parser.js';
import { execute, prepare } from './session/execute.js';
import { Session } from './session/session.js';
import './functions/all.js';

export interface PostgresOptions {
  /** The one database that there is; `postgres` by default. */
  readonly database?: string;
  /** SQL that it begins with: tables and rows. */
  readonly setup?: string;
}

/** @throws Error when the package libpg-query is not installed */
export class PostgresServer {
  private readonly db: Database;
  private readonly server: net.Server;
  private readonly sockets = new Set<net.Socket>();

  constructor(options: PostgresOptions = {}) {
    apart(loadParser);
    this.db = new Database(options.database ?? 'postgres');
    if (options.setup !== undefined) this.run(options.setup);
    this.server = net.createServer((socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      new Connection(socket, this.db, randomInt(2 ** 31 - 1));
    });
  }

  /**
   * Runs SQL at once, in a session of its own: for tables and rows to begin with, and for looking
   * at what came out.
   *
   * @returns the rows of the last statement, by column name, as text (NULL is `null`)
   * @throws SqlError as a client would get it; also when it would have to wait for a lock
   */
  run(sql: string): Record<string, string | null>[] {
    const ignore = () => undefined;
    const session = new Session(this.db, 'postgres', {
      notice: ignore,
      notification: ignore,
      parameter: ignore,
    });
    const mayNotWait = () =>
      unsupported('PostgresServer.run() that has to wait for another session');
    let rows: Record<string, string | null>[] = [];
    try {
      for (const statement of parse(sql)) {
        const result = finish(execute(prepare(statement, session, []), [], session), mayNotWait);
        const columns = result.columns ?? [];
        rows = result.rows.map((row) =>
          Object.fromEntries(
            columns.map(({ name, type }, i) => [
              name,
              row[i] === null ? null : type.format(row[i]),
            ]),
          ),
        );
      }
      finish(session.commit(), mayNotWait);
    } finally {
      session.end();
      this.db.settle();
    }
    return rows;
  }

  /**
   * Begins to take connections.
   *
   * @param port 5432 by default; 0 for any that is free
   */
  listen(port = 5432, host = '127.0.0.1'): Promise<this> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        resolve(this);
      });
    });
  }

  /** Where it listens. */
  address(): net.AddressInfo {
    return this.server.address() as net.AddressInfo;
  }

  /** Ends all connections, as a shutdown does (transactions that are open are rolled back). */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
    });
  }
}
