/**
 * The ends of TCP connections and of connections by a path.
 */

import { describe, isLoopback, isWildcard, mapped, unmapped, type Endpoint } from './addresses.js';
import { UV } from './bindings.js';
import { Connecting } from './connecting.js';
import { HostSockets, type Accepting, type Closable } from './ports.js';
import { StreamHandle, type Request } from './stream-handle.js';

/** What both have of a connection that comes about. */
export abstract class ConnectingHandle extends StreamHandle {
  declare protected connecting: Connecting | undefined;
  /** What its connection is called among all of the simulation. */
  declare name: string;

  connected(status: number): void {
    this.connecting = undefined;
    if (status !== 0) this.release();
  }

  protected override aborted(): void {
    this.connecting?.abort();
  }
}

export class TcpHandle extends ConnectingHandle {
  declare private local: Endpoint | undefined;
  declare private remote: Endpoint | undefined;
  /** Whether the port is its own, and no other may bind it. */
  declare private bound: boolean;
  /** Told where the handle alone decides that it leaves the simulation; returns the status. */
  declare leaves: ((address: string) => number) | undefined;

  /** It is the server's end of a connection. @param six whether the server listens on IPv6 */
  accepted(client: TcpHandle, six: boolean): void {
    const shown = ({ address, port }: Endpoint): Endpoint => ({
      address: six ? mapped(address) : unmapped(address),
      port,
    });
    this.local = shown(client.remote!);
    this.remote = shown(client.local!);
  }

  bind(address: string, port: number): number {
    const plain = unmapped(address);
    const { host, sockets } = this;
    if (!isWildcard(plain) && !isLoopback(plain) && plain !== host.address) {
      return UV.EADDRNOTAVAIL;
    }
    const local = sockets.tcp.bind(address, port, this);
    if (local === undefined) return UV.EADDRINUSE;
    this.local = local;
    this.bound = true;
    return 0;
  }

  bind6(address: string, port: number): number {
    return this.bind(address, port);
  }

  connect(request: Request, address: string, port: number): number {
    const { network, host, sockets } = this;
    const to = network.at(host, address);
    if (to === undefined) return this.leaves?.(address) ?? 0;
    const plain = isWildcard(address) ? loopbackOf(address) : address;
    const own = isLoopback(unmapped(plain)) || to === host ? plain : host.address;
    const { local } = this;
    if (local === undefined) this.local = { address: own, port: sockets.tcp.ephemeral() };
    else if (isWildcard(local.address)) this.local = { address: own, port: local.port };
    this.remote = { address: plain, port };
    this.name = `tcp/${network.nextConnection()}`;
    this.connecting = new Connecting(this, request, to, 'TCPCONNECTWRAP', () =>
      listenerOf(to.part(HostSockets).tcp.all(plain, port)),
    ).begin();
    return 0;
  }

  connect6(request: Request, address: string, port: number): number {
    return this.connect(request, address, port);
  }

  getsockname(out: object): number {
    if (this.local === undefined) return UV.EBADF;
    describe(out, this.local);
    return 0;
  }

  getpeername(out: object): number {
    if (this.remote === undefined || this.peer === undefined) return UV.ENOTCONN;
    describe(out, this.remote);
    return 0;
  }

  protected override release(): void {
    super.release();
    if (this.bound) this.sockets.tcp.release(this, this.local!.port);
    this.bound = false;
  }
}

export class PipeHandle extends ConnectingHandle {
  connect(request: Request, path: string): number {
    const { host, sockets, network } = this;
    this.name = `pipe/${network.nextConnection()}`;
    const found = sockets.paths.get(path);
    this.connecting = new Connecting(this, request, host, 'PIPECONNECTWRAP', () =>
      sockets.paths.get(path),
    );
    // A path that does not exist is known at once, and told later, as libuv does.
    if (found === undefined) this.connecting.fail(UV.ENOENT);
    else this.connecting.begin();
    return 0;
  }

  fchmod(): number {
    return 0;
  }
}

function loopbackOf(wildcard: string): string {
  return wildcard === '::' ? '::1' : '127.0.0.1';
}

function listenerOf(holders: readonly Closable[]): Accepting | undefined {
  return holders.find((one): one is Accepting => 'accept' in one);
}
