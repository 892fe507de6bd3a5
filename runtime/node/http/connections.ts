/**
 * The native list in which a server keeps its connections, and their order in it.
 *
 * Node keeps those that are idle by the addresses of their parsers, so `closeAllConnections`,
 * `closeIdleConnections` and `close` end them in any order. In a simulation it is the one in which
 * they were accepted.
 */

import http from 'node:http';
import type { EventEmitter } from 'node:events';
import { patch } from '../facade.js';
import { simulated } from '../simulated.js';

const { apply } = Reflect;

/** The native parser of a connection of a server. */
export type Connection = object;

export interface ConnectionsList<T extends Connection> {
  all(): T[];
  /** Those that wait for a request. */
  idle(): T[];
  /** Those with a request that is not complete, or none at all yet; the first begun is first. */
  active(): T[];
}

const numbers = new WeakMap<Connection, number>();
let noted = 0;

/** A server has accepted a connection. */
export function noteConnection(connection: Connection): void {
  numbers.set(connection, ++noted);
}

export function installConnectionOrder(): void {
  const list = connectionsList();
  patch(list, 'idle', 'http.ConnectionsList.idle', (real) => {
    return function (this: object): Connection[] {
      const idle = apply(real, this, []) as Connection[];
      if (simulated() === undefined) return idle;
      return idle.sort((a, b) => (numbers.get(a) ?? 0) - (numbers.get(b) ?? 0));
    };
  });
  patch(list, 'all', 'http.ConnectionsList.all', (real) => {
    return function (this: ConnectionsList<Connection>): Connection[] {
      const all = apply(real, this, []) as Connection[];
      if (simulated() === undefined) return all;
      const idle = new Set(this.idle());
      return [...idle, ...all.filter((one) => !idle.has(one))];
    };
  });
}

/** The prototype of the lists, of which a server has one from when it listens on. */
export function connectionsList(): object {
  const server = http.createServer();
  (server as EventEmitter).emit('listening');
  server.close();
  const key = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  );
  if (key === undefined) throw new Error('This Node keeps the connections of a server elsewhere.');
  const list = (server as unknown as Record<symbol, object>)[key];
  return Object.getPrototypeOf(list) as object;
}
