/**
 * Datagram sockets under Node's own `dgram`.
 *
 * Node's JavaScript makes a native handle, which opens nothing until it is used; its methods are
 * replaced by those of a simulated socket that stands for it. Each datagram travels alone: later
 * ones may arrive before earlier ones, and by the faults of the host they are lost or doubled.
 */

import { AsyncResource } from 'node:async_hooks';
import { isIP } from 'node:net';
import type { Scheduler } from '../../tasks/scheduler.js';
import { currentHost, hostsOf, type Host } from '../host.js';
import { siteOfCall } from '../operation.js';
import { runInContext } from '../pristine.js';
import { UncontrolledError } from '../../errors.js';
import { describe, isLoopback, isWildcard, mapped, unmapped, type Endpoint } from './addresses.js';
import { UV } from './bindings.js';
import { Leg } from './leg.js';
import { SimulatedNetwork } from './network.js';
import { nextTask, ownerNow, type Owner } from './owner.js';
import { HostSockets, type Closable } from './ports.js';

/** UV_UDP_REUSEADDR and UV_UDP_REUSEPORT. */
const SHARED = 4 | 8;
/** The most that IPv4 carries, and IPv6. */
const LARGEST = 65507;
const LARGEST_SIX = 65527;
const BUFFER_SIZE = 212_992;

/** The native handle, as far as Node's JavaScript sets it up. */
export interface DatagramHandle {
  onmessage?(
    status: number,
    handle: DatagramHandle,
    bytes?: Buffer,
    from?: { address: string; family: string; port: number },
  ): void;
}

export class DatagramSocket implements Closable {
  private readonly host: Host;
  private readonly sockets: HostSockets;
  private readonly network: SimulatedNetwork;
  private readonly owner: Owner;
  private readonly resource = new AsyncResource('UDPWRAP', { requireManualDestroy: true });
  private readonly groups = new Set<string>();
  private readonly sizes = [BUFFER_SIZE, BUFFER_SIZE];
  private bound: Endpoint | undefined;
  private remote: Endpoint | undefined;
  private receiving = false;
  private broadcasts = false;
  private loops = true;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly handle: DatagramHandle,
  ) {
    this.host = currentHost(scheduler);
    this.sockets = this.host.part(HostSockets);
    this.network = SimulatedNetwork.of(scheduler);
    this.owner = ownerNow(scheduler);
  }

  // ---- what Node's JavaScript calls -------------------------------------------------------------

  bind(address: string, port: number, flags = 0): number {
    if (!this.isOwn(address)) return UV.EADDRNOTAVAIL;
    this.bound = this.sockets.udp.bind(address, port >>> 0, this, (flags & SHARED) !== 0);
    if (this.bound === undefined) return UV.EADDRINUSE;
    this.sockets.open.add(this);
    return 0;
  }

  recvStart(): number {
    this.receiving = true;
    return 0;
  }

  recvStop(): number {
    this.receiving = false;
    return 0;
  }

  connect(address: string, port: number): number {
    if (this.bound === undefined) this.bind(address.includes(':') ? '::' : '0.0.0.0', 0);
    this.remote = { address, port };
    return 0;
  }

  disconnect(): number {
    if (this.remote === undefined) return UV.ENOTCONN;
    this.remote = undefined;
    return 0;
  }

  /** @returns one more than the bytes sent, which says that it is done; or why not */
  send(_request: object, list: readonly Uint8Array[], _count: number, ...to: unknown[]): number {
    const bytes = Buffer.concat(list);
    const [port, address] = to as [number, string];
    const target = to.length > 1 ? { address, port } : this.remote;
    if (target === undefined) return UV.EDESTADDRREQ;
    const six = target.address.includes(':');
    if (bytes.length > (six ? LARGEST_SIX : LARGEST)) return UV.EMSGSIZE;
    if (target.address === BROADCAST && !this.broadcasts) return UV.EACCES;
    const receivers = this.receivers(target.address);
    if (receivers === undefined) return UV.ENETUNREACH;
    for (const host of receivers) this.sendTo(host, target, bytes);
    return bytes.length + 1;
  }

  getsockname(out: object): number {
    if (this.bound === undefined) return UV.EBADF;
    describe(out, this.bound);
    return 0;
  }

  getpeername(out: object): number {
    if (this.remote === undefined) return UV.ENOTCONN;
    describe(out, this.remote);
    return 0;
  }

  addMembership(group: string): number {
    if (!isMulticast(group)) return UV.EINVAL;
    if (this.groups.has(group)) return UV.EADDRINUSE;
    this.groups.add(group);
    return 0;
  }

  dropMembership(group: string): number {
    if (!isMulticast(group)) return UV.EINVAL;
    return this.groups.delete(group) ? 0 : UV.EADDRNOTAVAIL;
  }

  addSourceSpecificMembership(_source: string, group: string): number {
    return this.addMembership(group);
  }

  dropSourceSpecificMembership(_source: string, group: string): number {
    return this.dropMembership(group);
  }

  setBroadcast(flag: number): number {
    this.broadcasts = flag !== 0;
    return 0;
  }

  setMulticastLoopback(flag: number): number {
    this.loops = flag !== 0;
    return 0;
  }

  setTTL(hops: number): number {
    return hops >= 1 && hops <= 255 ? 0 : UV.EINVAL;
  }

  setMulticastTTL(hops: number): number {
    return hops >= 0 && hops <= 255 ? 0 : UV.EINVAL;
  }

  setMulticastInterface(address: string): number {
    return isIP(address.split('%')[0]) === 0 ? UV.EINVAL : 0;
  }

  /** Linux keeps twice as much as it is asked for. */
  bufferSize(size: number, receive: boolean): number {
    if (size > 0) this.sizes[Number(receive)] = size * 2;
    return this.sizes[Number(receive)];
  }

  getSendQueueSize(): number {
    return 0;
  }

  getSendQueueCount(): number {
    return 0;
  }

  crash(): void {
    this.receiving = false;
    this.sockets.open.delete(this);
    if (this.bound !== undefined) this.sockets.udp.release(this, this.bound.port);
    this.bound = undefined;
  }

  // ---- on the way -------------------------------------------------------------------------------

  private isOwn(address: string): boolean {
    const plain = unmapped(address);
    return (
      isWildcard(plain) || isLoopback(plain) || plain === this.host.address || isMulticast(plain)
    );
  }

  /** Undefined for an address that is said to lie outside. */
  private receivers(address: string): readonly Host[] | undefined {
    if (address === BROADCAST || isMulticast(address)) return hostsOf(this.scheduler);
    const host = this.network.at(this.host, address);
    if (host !== undefined) return [host];
    if (this.network.unreachable.has(address)) return undefined;
    const site = siteOfCall(this.scheduler);
    this.scheduler.recordUncontrolled('dgram.Socket.send', site, false);
    throw new UncontrolledError('dgram.Socket.send', site.position(), address);
  }

  private sendTo(host: Host, to: Endpoint, bytes: Buffer): void {
    const { network, scheduler } = this;
    const link = network.link(this.host, host);
    const site = siteOfCall(scheduler);
    const from = this.seenAs(host, to.address);
    const copies = network.isCut(this.host, host) ? 0 : link.copies();
    for (let copy = 0; copy < copies; copy++) {
      const leg = new Leg(scheduler, site, link.latency(), () =>
        this.arrive(host, from, to, bytes),
      );
      leg.begin();
    }
  }

  /** The address that the receiver sees. */
  private seenAs(host: Host, to: string): Endpoint {
    const { address, port } = this.bound!;
    if (!isWildcard(unmapped(address))) return this.bound!;
    const near = isLoopback(unmapped(to)) || (host === this.host && isWildcard(to));
    if (near) return { address: to.includes(':') ? '::1' : '127.0.0.1', port };
    return { address: this.host.address, port };
  }

  private arrive(host: Host, from: Endpoint, { address, port }: Endpoint, bytes: Buffer): void {
    const { udp } = host.part(HostSockets);
    const many = address === BROADCAST || isMulticast(address);
    const plain = isWildcard(address) ? (address === '::' ? '::1' : '127.0.0.1') : address;
    const found = many ? udp.at(port) : udp.all(plain, port).slice(-1);
    const takers = found.filter((one): one is DatagramSocket => one instanceof DatagramSocket);
    const members = isMulticast(address)
      ? takers.filter((one) => one.groups.has(address) && (one.host !== this.host || this.loops))
      : takers;
    for (const taker of members) taker.receive(from, bytes);
    if (members.length === 0 && !many && this.remote !== undefined) this.receiveRefusal();
  }

  private receive(from: Endpoint, bytes: Buffer): void {
    const { remote, bound, handle } = this;
    if (!this.receiving || this.scheduler.ended) return;
    if (remote !== undefined && !sameEnd(remote, from)) return;
    const address = bound!.address.includes(':') ? mapped(from.address) : from.address;
    const family = address.includes(':') ? 'IPv6' : 'IPv4';
    const info = { address, family, port: from.port };
    this.event(() => handle.onmessage?.(bytes.length, handle, Buffer.from(bytes), info));
  }

  /** Nobody is there: a socket that is connected learns of it. */
  private receiveRefusal(): void {
    const { handle } = this;
    if (this.receiving) this.event(() => handle.onmessage?.(UV.ECONNREFUSED, handle));
  }

  private event(callback: () => void): void {
    const { scheduler, owner, resource } = this;
    const task = nextTask(scheduler, owner);
    scheduler.runEvent(task, owner.site, owner.caller, () => runInContext(resource, callback));
  }
}

const BROADCAST = '255.255.255.255';

function isMulticast(address: string): boolean {
  if (address.includes(':')) return /^ff/i.test(address);
  const first = Number(address.split('.')[0]);
  return first >= 224 && first <= 239;
}

function sameEnd(one: Endpoint, other: Endpoint): boolean {
  return one.port === other.port && unmapped(one.address) === unmapped(other.address);
}
