/**
 * The network between the hosts of one simulation: who has which name and address, who is cut off
 * from whom, and how long bytes travel.
 */

import { isIP } from 'node:net';
import { Kind } from '../../kernel/choice.js';
import { hashString, mix } from '../../kernel/hash.js';
import { Source } from '../../kernel/source.js';
import type { Spread } from '../../kernel/choice.js';
import { spreadOf, type DelayRange } from '../../kernel/spread.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { hostsOf, type Host } from '../host.js';
import { isLoopback, isWildcard, unmapped } from './addresses.js';
import { Unreachable } from './unreachable.js';

/** Nanoseconds from one end to the other, near what a quiet machine and a local network take. */
const LOOPBACK = 50_000;
const BETWEEN_HOSTS = 200_000;

const CONNECTIONS = hashString('connections');

/** One direction between two hosts. Its n-th message is decided by (link, kind of fault, n). */
export class Link extends Source {
  /** Counts what asks for a connection. */
  asked = 0;
  private messages = 0;
  private datagrams = 0;
  private range: DelayRange | undefined = undefined;
  private spread: Spread | undefined = undefined;

  constructor(
    scheduler: Scheduler,
    readonly from: Host,
    readonly to: Host,
  ) {
    super(scheduler.scope.task, `net/${from.name}>${to.name}`);
  }

  /** How often the next datagram arrives, if the link is not cut. */
  copies(): number {
    const { from } = this;
    const { loop } = from.scheduler;
    const { drop = 0, duplicate = 0 } = from.faults.sockets;
    this.datagrams++;
    if (loop.strikes(Kind.Drop, this, this.datagrams, drop)) return 0;
    return loop.strikes(Kind.Duplicate, this, this.datagrams, duplicate) ? 2 : 1;
  }

  /** How long the next message travels, in nanoseconds. */
  latency(): number {
    const { from, to } = this;
    const least = from === to ? LOOPBACK : BETWEEN_HOSTS;
    const range = from.faults.sockets.latency;
    if (range === undefined) return least;
    if (range !== this.range) {
      this.range = range;
      this.spread = spreadOf('faults.sockets', 'latency', range);
    }
    const { loop } = from.scheduler;
    return range.min + loop.latency(Kind.Latency, this, ++this.messages, this.spread!);
  }
}

/** What waits for a cut to heal. */
interface Waiting {
  healed(): void;
}

export class SimulatedNetwork {
  private readonly links = new Map<Host, Map<Host, Link>>();
  private readonly cuts = new Set<string>();
  private waiting: Waiting[] = [];
  /** The TCP ports on which somebody has listened. */
  readonly served = new Set<number>();
  /** What is known to lie outside; see `unreachable` of the config. */
  unreachable = new Unreachable([]);

  private constructor(private readonly scheduler: Scheduler) {}

  static of(scheduler: Scheduler): SimulatedNetwork {
    let network = networks.get(scheduler);
    if (network === undefined) {
      networks.set(scheduler, (network = new SimulatedNetwork(scheduler)));
    }
    return network;
  }

  link(from: Host, to: Host): Link {
    let links = this.links.get(from);
    if (links === undefined) this.links.set(from, (links = new Map()));
    let link = links.get(to);
    // Its choices belong to the test that runs when they are made.
    if (link?.task !== this.scheduler.scope.task)
      links.set(to, (link = new Link(this.scheduler, from, to)));
    return link;
  }

  /** The number of a new connection among those of the test that runs, to name it by. */
  nextConnection(): number {
    const { loop, scope } = this.scheduler;
    return loop.ordinal(mix(scope.task.hash, CONNECTIONS) >>> 1);
  }

  /** The host that `from` reaches under an IP address; undefined when none has it. */
  at(from: Host, address: string): Host | undefined {
    const plain = unmapped(address);
    if (isLoopback(plain) || isWildcard(plain)) return from;
    return this.last((host) => host.address === plain);
  }

  /** The IP address of a name, as `from` sees it; undefined when the name is unknown. */
  addressOf(from: Host, name: string): string | undefined {
    if (isIP(name) !== 0) return name;
    const plain = name.toLowerCase().replace(/\.$/, '');
    if (plain === 'localhost' || plain.endsWith('.localhost')) return '127.0.0.1';
    if (from.name.toLowerCase() === plain) return from.address;
    return this.last((host) => host.name.toLowerCase() === plain)?.address;
  }

  nameOf(from: Host, address: string): string | undefined {
    const plain = unmapped(address);
    if (isLoopback(plain)) return 'localhost';
    return this.last((host) => host.address === plain)?.name ?? this.at(from, address)?.name;
  }

  /** A host that came up again stands for the one it was before. */
  private last(holds: (host: Host) => boolean): Host | undefined {
    const hosts = hostsOf(this.scheduler);
    for (let i = hosts.length - 1; i >= 0; i--) if (holds(hosts[i])) return hosts[i];
    return undefined;
  }

  // ---- partitions ------------------------------------------------------------------------------

  /** Cuts two hosts off from each other, both ways. What is under way still arrives. */
  partition(a: string, b: string): void {
    this.cuts.add(pairOf(a, b));
  }

  /** Takes a cut away, or all of them. Connections go on where they were. */
  heal(a?: string, b?: string): void {
    if (a === undefined || b === undefined) this.cuts.clear();
    else this.cuts.delete(pairOf(a, b));
    for (const one of this.waiting.splice(0)) one.healed();
  }

  isCut(from: Host, to: Host): boolean {
    return this.cuts.size > 0 && from !== to && this.cuts.has(pairOf(from.name, to.name));
  }

  /** Tells `one` when next a cut has healed. */
  wait(one: Waiting): void {
    this.waiting.push(one);
  }
}

const networks = new WeakMap<Scheduler, SimulatedNetwork>();

function pairOf(a: string, b: string): string {
  return a < b ? `${a}|${b}` : `${b}|${a}`;
}
