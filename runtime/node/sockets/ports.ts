/**
 * The ports and socket paths of one host: who is bound to which.
 */

import type { Host } from '../host.js';
import type { ConnectingHandle } from './sockets.js';
import { isWildcard, unmapped, type Endpoint } from './addresses.js';

/** The first and the last of the ports that Linux gives out by itself. */
const FIRST_EPHEMERAL = 32768;
const LAST_EPHEMERAL = 60999;

interface Bound<T> {
  readonly endpoint: Endpoint;
  /** Others may bind the same if they say so as well. */
  readonly shared: boolean;
  readonly holder: T;
}

/** Ports of one transport. */
export class Ports<T> {
  private readonly bound = new Map<number, Bound<T>[]>();
  private next = FIRST_EPHEMERAL;

  /**
   * Binds an address and a port; port 0 stands for the next that is free.
   * @returns what was bound; undefined when it is taken
   */
  bind(address: string, port: number, holder: T, shared = false): Endpoint | undefined {
    const chosen = port === 0 ? this.ephemeral() : port;
    const taken = this.bound.get(chosen) ?? [];
    const clashes = (one: Bound<T>): boolean =>
      !(shared && one.shared) && overlap(one.endpoint.address, address);
    if (taken.some(clashes)) return undefined;
    const endpoint = { address, port: chosen };
    this.bound.set(chosen, [...taken, { endpoint, shared, holder }]);
    return endpoint;
  }

  release(holder: T, port: number): void {
    const left = (this.bound.get(port) ?? []).filter((one) => one.holder !== holder);
    if (left.length === 0) this.bound.delete(port);
    else this.bound.set(port, left);
  }

  /** Who gets what comes to an address and port; the most exact wins. */
  all(address: string, port: number): T[] {
    const plain = unmapped(address);
    const bound = this.bound.get(port);
    if (bound === undefined) return [];
    const exact = bound.filter((one) => unmapped(one.endpoint.address) === plain);
    const found =
      exact.length > 0 ? exact : bound.filter((one) => covers(one.endpoint.address, plain));
    return found.map((one) => one.holder);
  }

  /** Who is bound to a port, under whatever address. */
  at(port: number): T[] {
    return (this.bound.get(port) ?? []).map((one) => one.holder);
  }

  /** A port that nobody is bound to, whatever the address. */
  ephemeral(): number {
    for (let tried = FIRST_EPHEMERAL; tried <= LAST_EPHEMERAL; tried++) {
      const port = this.next;
      this.next = port === LAST_EPHEMERAL ? FIRST_EPHEMERAL : port + 1;
      if (!this.bound.has(port)) return port;
    }
    return 0;
  }
}

/** `::` takes IPv4 as well; `0.0.0.0` does not take IPv6. */
function covers(bound: string, address: string): boolean {
  return bound === '::' || (bound === '0.0.0.0' && !address.includes(':'));
}

function overlap(a: string, b: string): boolean {
  const [one, other] = [unmapped(a), unmapped(b)];
  if (one === other) return true;
  return (isWildcard(one) && covers(one, other)) || (isWildcard(other) && covers(other, one));
}

/** What a host has of sockets. */
export interface Closable {
  /** The host has crashed: nothing comes of it any more, and its peers are reset. */
  crash(): void;
}

/** What listens. */
export interface Accepting extends Closable {
  /** Takes a connection of `client`. */
  accept(client: ConnectingHandle): void;
}

/** The sockets of a host. */
export class HostSockets {
  /** Listeners and connections of TCP. */
  readonly tcp = new Ports<Closable>();
  readonly udp = new Ports<Closable>();
  /** Listeners by the path of their socket. */
  readonly paths = new Map<string, Accepting>();
  readonly open = new Set<Closable>();

  constructor(readonly host: Host) {}

  /** Ends every socket of the host: its connections are reset, and nothing listens any more. */
  crash(): void {
    for (const one of [...this.open]) one.crash();
    this.open.clear();
  }
}
