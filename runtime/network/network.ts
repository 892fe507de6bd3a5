/**
 * Messages between the nodes of a scenario, and what can happen to them on the way.
 *
 * A message is rolled for once per fault when it is sent. Whether its link is cut is looked at
 * twice, when it is sent and when it would arrive. Nodes are walked in the order in which they were
 * first registered.
 */

import { checkFunction, checkString, checkTime } from '../kernel/arguments.js';
import { Kind } from '../kernel/choice.js';
import type { Simulation } from '../kernel/simulation.js';
import { Delivery, type Deliverer } from './delivery.js';
import { resolveFaults, type LinkFaults, type NetworkFaults } from './faults.js';
import { Link, type NetworkNode } from './link.js';
import { seal } from './message.js';
import { shownMessage } from './shown-message.js';

/** What became of the messages so far. What is in none of the last three is on its way. */
export interface NetworkStats {
  /** Messages handed to `send`, and each receiver of a broadcast. */
  readonly sent: number;
  /** Lost by the fault `drop`, or sent over a cut link. */
  readonly droppedAtSend: number;
  /** Sent, but the link was cut or the receiver gone when they would have arrived. */
  readonly lostAtDelivery: number;
  readonly delivered: number;
  /** Second copies that the fault `duplicate` has made. */
  readonly duplicated: number;
}

export type Handler<M> = (message: M, from: string) => void;

export class Network<M = unknown> implements Deliverer<M> {
  private readonly counts = {
    sent: 0,
    droppedAtSend: 0,
    lostAtDelivery: 0,
    delivered: 0,
    duplicated: 0,
  };
  private readonly nodes = new Map<string, NetworkNode<M>>();
  private readonly list: NetworkNode<M>[] = [];
  private readonly faults: LinkFaults;
  private readonly name: string;
  /** The last message that was frozen, which a broadcast sends again and again. */
  private sealed: M | undefined = undefined;

  /**
   * @param faults of every link, until {@link Network.link} says otherwise
   * @throws {RangeError | TypeError} with the value that is wrong
   */
  constructor(
    private readonly simulation: Simulation,
    faults: NetworkFaults = {},
  ) {
    this.faults = resolveFaults('new Network', faults);
    const ordinal = simulation.loop.ordinal(NETWORKS);
    this.name = ordinal === 1 ? 'network' : `network.${ordinal}`;
    simulation.onHeal(() => this.healAll());
  }

  /** A copy of what became of the messages so far. */
  get stats(): NetworkStats {
    return { ...this.counts };
  }

  // ---- nodes -----------------------------------------------------------------------------------

  /**
   * Adds a node, or brings one back that was taken away.
   * @param handler gets each message that arrives, and who sent it
   * @throws {Error} when the node is registered already
   */
  register(id: string, handler: Handler<M>): void {
    checkString('network.register', 'the id', id);
    checkFunction('network.register', `the handler of "${id}"`, handler);
    let node = this.nodes.get(id);
    if (node === undefined) {
      const index = this.list.length;
      node = { id, index, handler, links: [], cutOut: false, cutIn: false };
      this.nodes.set(id, node);
      this.list.push(node);
    } else if (node.handler !== undefined) {
      throw new Error(
        `network.register: "${id}" is registered already; unregister it first to replace it.`,
      );
    }
    node.handler = handler;
  }

  /**
   * Takes a node away, as a crash does: what arrives for it is lost, until it is registered again.
   * @throws {Error} when it is not registered
   */
  unregister(id: string): void {
    const node = this.node('network.unregister', id);
    if (node.handler === undefined) {
      throw new Error(`network.unregister: "${id}" is unregistered already.`);
    }
    node.handler = undefined;
  }

  // ---- messages --------------------------------------------------------------------------------

  /**
   * Sends a message. What it holds must not be changed any more: plain data is frozen, and bytes,
   * maps, sets and dates are copied. A part that is frozen already is taken to be so throughout. A
   * message to oneself meets no fault and arrives at this time.
   * @throws {Error} when there is no such node
   */
  send(from: string, to: string, message: M): void {
    const sender = this.node('network.send', from);
    const receiver = this.node('network.send', to);
    this.post(sender, receiver, message);
  }

  /** Sends a message to every other node that is registered. */
  broadcast(from: string, message: M): void {
    const sender = this.node('network.broadcast', from);
    for (const receiver of this.list) {
      if (receiver !== sender && receiver.handler !== undefined) {
        this.post(sender, receiver, message);
      }
    }
  }

  private post(sender: NetworkNode<M>, receiver: NetworkNode<M>, message: M): void {
    const { counts, simulation } = this;
    const link = this.linkOf(sender, receiver);
    counts.sent++;
    const number = ++link.sent;
    if (simulation.log !== undefined) this.logMessage('send', link, number, message);
    if (sender === receiver) return this.forward(link, message, number, 0);
    const { loop } = simulation;
    const { faults } = link;
    if (link.cut || loop.strikes(Kind.Drop, link, number, faults.drop)) {
      counts.droppedAtSend++;
      if (simulation.log !== undefined) this.logMessage('drop', link, number, message);
      return;
    }
    let delay = faults.delay.min + loop.latency(Kind.Latency, link, number, faults.spread);
    if (!loop.strikes(Kind.Reorder, link, number, faults.reorder)) {
      const due = Math.max(loop.now + delay, link.lastDue);
      link.lastDue = due;
      delay = due - loop.now;
    }
    this.forward(link, message, number, delay);
    if (loop.strikes(Kind.Duplicate, link, number, faults.duplicate)) {
      counts.duplicated++;
      if (simulation.log !== undefined) this.logMessage('duplicate', link, number, message);
      const again = loop.latency(Kind.Latency, link.copies, number, faults.spread);
      this.forward(link, message, number, faults.delay.min + again);
    }
  }

  private forward(link: Link<M>, message: M, number: number, delay: number): void {
    const safe = message === this.sealed ? message : (seal(message) as M);
    if (safe === message) this.sealed = message;
    this.simulation.loop.schedule(delay, new Delivery(this, link, safe, number));
  }

  /** @internal */
  arrive(delivery: Delivery<M>): void {
    const { link, message, number } = delivery;
    const { counts, simulation } = this;
    const { loop } = simulation;
    if (link.cloggedUntil > loop.now) {
      loop.schedule(link.cloggedUntil - loop.now, delivery);
      return;
    }
    const { handler } = link.to;
    if (link.cut || handler === undefined) {
      counts.lostAtDelivery++;
      if (simulation.log !== undefined) this.logMessage('lost', link, number, message);
      return;
    }
    counts.delivered++;
    if (simulation.log !== undefined) this.logMessage('deliver', link, number, message);
    handler(message, link.from.id);
  }

  // ---- links -----------------------------------------------------------------------------------

  /**
   * The link from one node to another, one way, to give it faults of its own:
   * `network.link('a', 'b').set({ drop: 0.5 })`.
   * @throws {Error} when there is no such node
   */
  link(from: string, to: string): Pick<Link<M>, 'set'> {
    return this.linkBetween('network.link', from, to);
  }

  /**
   * Cuts every link between two groups. What is on its way over them is lost.
   * @param options with `oneWay: true` only those from the first group to the second
   * @throws {Error} when there is no such node, or a node is in both groups
   */
  partition(
    groupA: Iterable<string>,
    groupB: Iterable<string>,
    options: { readonly oneWay?: boolean } = {},
  ): void {
    const a = [...groupA].map((id) => this.node('network.partition', id));
    const b = [...groupB].map((id) => this.node('network.partition', id));
    const both = a.find((node) => b.includes(node));
    if (both !== undefined) {
      throw new Error(`network.partition: "${both.id}" is in both groups.`);
    }
    const { oneWay = false } = options;
    const arrow = oneWay ? '->' : '|';
    this.simulation.log?.add('cut', `${idsOf(a)} ${arrow} ${idsOf(b)}`);
    for (const from of a) {
      for (const to of b) {
        this.linkOf(from, to).cut = true;
        if (!oneWay) this.linkOf(to, from).cut = true;
      }
    }
  }

  /**
   * Cuts every link of a node, also to nodes that are registered later.
   * @param options whether what comes `in`, what goes `out`, or `both` (the default)
   * @throws {Error} when there is no such node
   */
  isolate(id: string, options: { readonly direction?: 'in' | 'out' | 'both' } = {}): void {
    const node = this.node('network.isolate', id);
    const { direction = 'both' } = options;
    if (direction !== 'in' && direction !== 'out' && direction !== 'both') {
      throw new TypeError(`network.isolate: the direction must be in, out or both.`);
    }
    this.simulation.log?.add('cut', direction === 'both' ? id : `${id} ${direction}`);
    if (direction !== 'in') node.cutOut = true;
    if (direction !== 'out') node.cutIn = true;
    for (const other of this.list) {
      if (other === node) continue;
      if (direction !== 'in') this.linkOf(node, other).cut = true;
      if (direction !== 'out') this.linkOf(other, node).cut = true;
    }
  }

  /**
   * Lets nothing out of a link for so long. What is sent meanwhile and what is on its way waits,
   * and comes in its order when that is over.
   * @param duration nanoseconds from now
   * @throws {Error} when there is no such node
   */
  clog(from: string, to: string, duration: number): void {
    const link = this.linkBetween('network.clog', from, to);
    checkTime('network.clog', 'the duration', duration);
    this.simulation.log?.add('clog', `${from} -> ${to} for ${duration} ns`);
    link.cloggedUntil = Math.max(link.cloggedUntil, this.simulation.loop.now + duration);
  }

  /** Mends the link between two nodes, both ways: it is neither cut nor clogged. */
  heal(a: string, b: string): void {
    const links = [this.linkBetween('network.heal', a, b), this.linkBetween('network.heal', b, a)];
    this.simulation.log?.add('heal', `${a} | ${b}`);
    for (const link of links) this.mend(link);
  }

  /** Mends every link. Faults that go by rates stay as they are. */
  healAll(): void {
    this.simulation.log?.add('heal', this.name);
    for (const node of this.list) {
      node.cutIn = node.cutOut = false;
      for (const link of node.links) if (link !== undefined) this.mend(link);
    }
  }

  private mend(link: Link<M>): void {
    link.cut = false;
    link.cloggedUntil = 0;
  }

  private linkBetween(call: string, from: string, to: string): Link<M> {
    const [a, b] = [this.node(call, from), this.node(call, to)];
    if (a === b) throw new Error(`${call}: "${from}" has no link to itself.`);
    return this.linkOf(a, b);
  }

  private linkOf(from: NetworkNode<M>, to: NetworkNode<M>): Link<M> {
    return from.links[to.index] ?? this.newLink(from, to);
  }

  private newLink(from: NetworkNode<M>, to: NetworkNode<M>): Link<M> {
    const name = `${this.name}/${from.id}>${to.id}`;
    const link = new Link(this.simulation, name, from, to, this.faults);
    // The array keeps no holes, which would make it slow.
    while (from.links.length < this.list.length) from.links.push(undefined);
    from.links[to.index] = link;
    return link;
  }

  private node(call: string, id: string): NetworkNode<M> {
    const node = this.nodes.get(id);
    if (node !== undefined) return node;
    const known = this.list.length === 0 ? 'none' : idsOf(this.list);
    throw new Error(`${call}: there is no node "${id}". Registered so far: ${known}.`);
  }

  private logMessage(type: string, link: Link<M>, number: number, message: M): void {
    const { from, to } = link;
    const what = `${from.id} -> ${to.id} #${number} ${shownMessage(message)}`;
    this.simulation.log!.add(type, what);
  }
}

/** Numbers the networks of one simulation. */
const NETWORKS = 0x6e657477;

function idsOf(nodes: readonly { readonly id: string }[]): string {
  return nodes.map(({ id }) => id).join(', ');
}
