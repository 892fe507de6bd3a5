/** A cluster of nodes on one simulation: starting, crashing and restarting them. */

import {
  FaultyStorage,
  millisecond,
  Network,
  type NetworkFaults,
  type Sim,
  type StorageProfile,
} from 'detsim';
import { Host } from './host.js';
import { Journal } from './journal.js';
import type { Message } from './messages.js';
import { RaftNode } from './node.js';
import { noStore } from './store.js';

export interface ClusterOptions {
  /** How many members there are at first. */
  readonly nodes: number;
  readonly network?: NetworkFaults;
  /** The faults of the disks; without them nothing is persistent, and no node may crash. */
  readonly storage?: StorageProfile;
  /** How often the power fails while a disk is asked to sync, from 0 to 1. */
  readonly powerLoss?: number;
  /** How long a host is down at most, in virtual nanoseconds; 400 ms by default. */
  readonly downMax?: number;
  /** How many entries a log may have until it is compacted. */
  readonly maxLog?: number;
  /** What runs on every host, instead of the correct node. */
  readonly Node?: typeof RaftNode;
}

/** How long a host is down that has crashed, in virtual nanoseconds. */
const DOWN_MIN = millisecond;
const DOWN_MAX = 400 * millisecond;

export class Cluster {
  readonly network: Network<Message>;
  readonly ids: string[] = [];
  /** Every node, in the order of the ids; of one that has crashed, its last life. */
  readonly nodes: RaftNode[] = [];
  crashes = 0;
  private readonly disks = new Map<string, readonly FaultyStorage[]>();
  /** The process that each node runs in, or ran in. */
  private readonly hosts = new Map<string, Host>();
  private readonly initialMembers: readonly string[];

  constructor(
    readonly sim: Sim,
    private readonly options: ClusterOptions,
  ) {
    this.network = new Network<Message>(sim, options.network);
    this.initialMembers = Array.from({ length: options.nodes }, (_, i) => `node${i}`);
    for (const id of this.initialMembers) this.start(id, this.initialMembers);
  }

  /** Starts a host that is no member yet. */
  startNewcomer(): string {
    const id = `node${this.ids.length}`;
    this.start(id, []);
    return id;
  }

  /** The nodes that are up. */
  get running(): RaftNode[] {
    return this.nodes.filter(({ id }) => this.hosts.get(id)!.up);
  }

  /** A node, if it is up. */
  node(id: string): RaftNode | undefined {
    return this.running.find((node) => node.id === id);
  }

  /** Those that take themselves for the leader; of two, one has yet to learn better. */
  leaders(): RaftNode[] {
    return this.running.filter((node) => node.role === 'leader');
  }

  /** The leader of the highest term. */
  leader(): RaftNode | undefined {
    return this.leaders().sort((a, b) => b.term - a.term)[0];
  }

  crash(id: string): void {
    this.hosts.get(id)!.crash();
  }

  /** Runs code in a node's process. */
  call(node: RaftNode, code: () => void): void {
    this.hosts.get(node.id)!.run(code);
  }

  private start(id: string, members: readonly string[]): void {
    const { sim, options } = this;
    const disk = (name: string) => new FaultyStorage(sim, `${id}/${name}`, options.storage);
    this.ids.push(id);
    this.disks.set(id, options.storage === undefined ? [] : [disk('a'), disk('b')]);
    this.boot(id, members);
  }

  private boot(id: string, members: readonly string[]): void {
    const { Node = RaftNode, maxLog, powerLoss = 0 } = this.options;
    const crashed = () => this.crashed(id, members);
    const host = new Host(id, this.sim, this.network, this.disks.get(id)!, powerLoss, crashed);
    const [a, b] = host.disks;
    const node = new Node(host, a === undefined ? noStore : new Journal([a, b]), members, maxLog);
    this.hosts.set(id, host);
    this.nodes[this.ids.indexOf(id)] = node;
    host.start(
      () => node.start(),
      (message, from) => node.receive(message, from),
    );
  }

  private crashed(id: string, members: readonly string[]): void {
    this.crashes++;
    const down = this.sim.random(`down ${id}`).integer(DOWN_MIN, this.options.downMax ?? DOWN_MAX);
    this.sim.after(down, () => this.boot(id, members));
  }
}
