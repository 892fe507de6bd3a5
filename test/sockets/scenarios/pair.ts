/**
 * A server and a client that is connected to it, as most scenarios begin.
 */

import net from 'node:net';
import type { Tracer } from '../tracer.js';

export interface PairOptions {
  readonly server?: net.ServerOpts;
  readonly client?: Partial<net.TcpNetConnectOpts>;
}

/**
 * Starts a server that takes one connection, and connects to it.
 * @param accepted gets the server's end
 * @param connected gets the client once it is connected
 */
export function pair(
  t: Tracer,
  accepted: (socket: net.Socket) => void,
  connected: (socket: net.Socket) => void,
  options: PairOptions = {},
): void {
  const server = net.createServer(options.server ?? {}, (socket) => {
    server.close();
    accepted(t.socket('server', socket));
  });
  server.listen(0, '127.0.0.1', () => {
    const port = portOf(server);
    t.port(port, 'server');
    const client = net.connect({ port, host: '127.0.0.1', ...options.client });
    t.socket('client', client);
    client.once('connect', () => connected(client));
  });
}

export function portOf(server: net.Server): number {
  return (server.address() as net.AddressInfo).port;
}

/** A port that nobody listens on. */
export function freePort(t: Tracer, use: (port: number) => void): void {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const port = t.port(portOf(server), 'free');
    server.close(() => use(port));
  });
}
