/**
 * The server: takes connections, and carries bytes between them and the engine.
 */

import net from 'node:net';
import { Connection } from './connection.js';
import { Engine } from './engine.js';

const PORT = 6379;
const HOST = '127.0.0.1';

/**
 * A Redis server for tests. Its data is in memory: it is gone with the host that runs the server,
 * and stays when the server is closed and listens again.
 */
export class RedisServer {
  private readonly engine = new Engine();
  private readonly connections = new Set<Connection>();
  private readonly server = net.createServer((socket) => this.accept(socket));

  /**
   * Takes connections from now on.
   * @param port 6379 if not given; 0 for a free one
   * @throws the error of `net.Server` when the address is taken
   */
  listen(port = PORT, host = HOST): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        this.engine.config.set('port', String(this.address()?.port));
        resolve();
      });
    });
  }

  /** Where it listens, or null while it does not. */
  address(): net.AddressInfo | null {
    return this.server.address() as net.AddressInfo | null;
  }

  /** Takes no more connections, and ends those that are there. */
  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.close((error) => (error === undefined ? resolve() : reject(error)));
      for (const connection of this.connections) connection.destroy();
      this.engine.close();
    });
  }

  private accept(socket: net.Socket): void {
    const connection = new Connection(this.engine, socket);
    this.connections.add(connection);
    socket.on('close', () => this.connections.delete(connection));
  }
}
