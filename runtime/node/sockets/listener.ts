/**
 * The handle of a server that listens: it stands where Node's own `TCP` or `Pipe` stands.
 */

import { AsyncResource } from 'node:async_hooks';
import type { Scheduler } from '../../tasks/scheduler.js';
import { currentHost, type Host } from '../host.js';
import { runInContext } from '../pristine.js';
import { VirtualEvent } from '../virtual-event.js';
import { describe, isLoopback, isWildcard, unmapped, type Endpoint } from './addresses.js';
import { UV } from './bindings.js';
import { nextTask, ownerNow, type Owner } from './owner.js';
import { SimulatedNetwork } from './network.js';
import { HostSockets, type Closable } from './ports.js';
import { PipeHandle, TcpHandle, type ConnectingHandle } from './sockets.js';
import { StreamHandle } from './stream-handle.js';

export abstract class Listener implements Closable {
  /** Set by Node's JavaScript. */
  onconnection: ((status: number, client: StreamHandle | undefined) => void) | undefined;
  readonly host: Host;
  protected readonly sockets: HostSockets;
  private readonly owner: Owner;
  private readonly resource: AsyncResource;
  private closed = false;

  constructor(
    protected readonly scheduler: Scheduler,
    type: string,
  ) {
    this.host = currentHost(scheduler);
    this.sockets = this.host.part(HostSockets);
    this.owner = ownerNow(scheduler);
    this.resource = new AsyncResource(type, { requireManualDestroy: true });
  }

  /** @returns 0, or why not */
  abstract listen(): number;
  protected abstract release(): void;
  /** The other end of `client`. */
  protected abstract make(client: StreamHandle, owner: Owner): StreamHandle;

  /** Takes a connection, and tells the server of it. */
  accept(client: ConnectingHandle): void {
    const { scheduler, owner } = this;
    const { site, caller } = owner;
    const task = nextTask(scheduler, owner);
    const end = this.make(client, { task, site, caller });
    StreamHandle.join(client, end, client.name);
    scheduler.runEvent(task, site, caller, () =>
      runInContext(this.resource, () => this.onconnection?.(0, end)),
    );
  }

  close(callback?: () => void): void {
    if (this.closed || this.scheduler.ended) return;
    this.crash();
    if (callback === undefined) return;
    const event = new VirtualEvent(this.scheduler, this.owner.site, 'TCPSERVERWRAP');
    this.scheduler.loop.close(() => event.run(callback));
  }

  crash(): void {
    if (this.closed) return;
    this.closed = true;
    this.sockets.open.delete(this);
    this.release();
  }

  protected opened(): number {
    this.sockets.open.add(this);
    return 0;
  }

  ref(): void {}
  unref(): void {}
  hasRef(): boolean {
    return true;
  }
}

export class TcpListener extends Listener {
  private bound: Endpoint | undefined;

  /** @param shared whether others may listen there as well, which then take turns */
  constructor(
    scheduler: Scheduler,
    private readonly address: string,
    private readonly port: number,
    private readonly shared: boolean,
  ) {
    super(scheduler, 'TCPSERVERWRAP');
  }

  listen(): number {
    const { host, address, port, shared } = this;
    const plain = unmapped(address);
    const own = isWildcard(plain) || isLoopback(plain) || plain === host.address;
    if (!own) return UV.EADDRNOTAVAIL;
    this.bound = this.sockets.tcp.bind(address, port, this, shared);
    if (this.bound === undefined) return UV.EADDRINUSE;
    SimulatedNetwork.of(host.scheduler).served.add(this.bound.port);
    return this.opened();
  }

  protected release(): void {
    if (this.bound !== undefined) this.sockets.tcp.release(this, this.bound.port);
  }

  protected make(client: TcpHandle, owner: Owner): TcpHandle {
    const end = new TcpHandle(this.scheduler, this.host, owner);
    end.accepted(client, this.bound!.address.includes(':'));
    return end;
  }

  getsockname(out: object): number {
    if (this.bound === undefined) return UV.EBADF;
    describe(out, this.bound);
    return 0;
  }
}

export class PipeListener extends Listener {
  constructor(
    scheduler: Scheduler,
    readonly path: string,
  ) {
    super(scheduler, 'PIPESERVERWRAP');
  }

  listen(): number {
    const { paths } = this.sockets;
    if (paths.has(this.path)) return UV.EADDRINUSE;
    paths.set(this.path, this);
    return this.opened();
  }

  protected release(): void {
    const { paths } = this.sockets;
    if (paths.get(this.path) === this) paths.delete(this.path);
  }

  protected make(_client: StreamHandle, owner: Owner): PipeHandle {
    return new PipeHandle(this.scheduler, this.host, owner);
  }

  fchmod(): number {
    return 0;
  }
}
