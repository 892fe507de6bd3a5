/**
 * `headersTimeout` and `requestTimeout` of servers. Every now and then, by a timer, Node asks its
 * native list of connections which requests have taken too long, and that goes by the real clock.
 * In a simulation the answer goes by the virtual one.
 */

import type { IncomingMessage } from 'node:http';
import { patch } from '../facade.js';
import { simulated } from '../simulated.js';
import {
  connectionsList,
  noteConnection,
  type Connection,
  type ConnectionsList,
} from './connections.js';

const { apply } = Reflect;
const MILLISECOND = 1e6;

type AnyFunction = (...args: any[]) => any;

/** What of a connection is needed here. */
interface Parser extends Connection {
  [callback: number]: AnyFunction;
  /** The request whose headers are complete, or the one before it. */
  incoming: IncomingMessage | null;
}

interface HttpParser extends AnyFunction {
  readonly prototype: object;
  readonly kOnMessageBegin: number;
}

/** When the request that a parser reads began, or its connection, in virtual nanoseconds. */
const begun = new WeakMap<Parser, number>();

export function installServerTimeouts(): void {
  const { HTTPParser } = require('node:_http_common') as { HTTPParser: HttpParser };
  const { kOnMessageBegin } = HTTPParser;
  patch(HTTPParser.prototype, 'initialize', 'http.HTTPParser.initialize', (real) => {
    return function (this: Parser, ...args: unknown[]) {
      const result = apply(real, this, args) as unknown;
      // Only parsers of servers are put into a list.
      if (typeof args.at(-1) !== 'object' || args.length < 5) return result;
      if (simulated() === undefined) return result;
      noteConnection(this);
      apply(begin, this, []);
      this[kOnMessageBegin] = begin;
      return result;
    };
  });
  patch(connectionsList(), 'expired', 'http.ConnectionsList.expired', (real) => {
    return function (this: ConnectionsList<Parser>, ...limits: [headers: number, request: number]) {
      const scheduler = simulated();
      if (scheduler === undefined) return apply(real, this, limits) as unknown;
      const [headers, request] = limits.map((limit) => limit * MILLISECOND);
      return this.active().filter((parser) => {
        const age = scheduler.loop.now - (begun.get(parser) ?? 0);
        const late = request > 0 && age > request;
        const expired = late || (headers > 0 && age > headers && inHeaders(parser));
        // It is told once.
        if (expired) begun.set(parser, Infinity);
        return expired;
      });
    };
  });
}

function begin(this: Parser): void {
  const scheduler = simulated();
  if (scheduler !== undefined) begun.set(this, scheduler.loop.now);
}

function inHeaders({ incoming }: Parser): boolean {
  return incoming === null || incoming === undefined || incoming.complete;
}
