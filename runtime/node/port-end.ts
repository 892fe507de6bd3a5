/**
 * One end of a message channel inside a simulation.
 *
 * The real ports clone and carry the messages; nothing of them is delivered by the real event loop.
 * A message is taken out of the real port when it is delivered: in the poll phase, port by port in
 * the order in which the ports were made, all messages of one port before those of the next, as
 * Node does. How long a message travels is a choice on rung `stubs`: within one thread it takes no
 * time, and what the channel stands for, another thread, may take any.
 */

import { AsyncResource } from 'node:async_hooks';
import workerThreads, { type MessagePort } from 'node:worker_threads';
import { Kind } from '../kernel/choice.js';
import { STUBS } from '../kernel/rung.js';
import type { Frame } from '../tasks/frame.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';
import type { Task } from '../tasks/task.js';
import { drain } from './drain.js';
import { siteOfCall } from './operation.js';
import { runInContext } from './pristine.js';

const { apply } = Reflect;
// The real ones, taken before facades are in place.
const { receiveMessageOnPort } = workerThreads;
const { close } = workerThreads.MessagePort.prototype;
/** By these symbols Node's own code delivers a message to a port. */
const DISPATCH = Symbol.for('nodejs.internal.kHybridDispatch');
const RECEIVING_PORTS = Symbol.for('nodejs.internal.kCurrentlyReceivingPorts');
/** Of one port so many messages at most are delivered in one turn, as in Node. */
const BATCH = 1000;
/** The longest that a message may travel, in nanoseconds. */
const LONGEST = 60e9;

type Dispatch = (value: unknown, type: string, event: Event | undefined) => void;

/** What travels in the place of a message: with it the ports that go along. */
export type Envelope = readonly [message: unknown, ports: MessagePort[]];

/** A message on its way; a closing one when `moved` is undefined. */
interface Posted {
  readonly arrives: number;
  readonly task: Task;
  readonly site: SourceSite;
  readonly caller: Frame;
  /** The ends whose ports travel in it. */
  readonly moved: readonly PortEnd[] | undefined;
}

/** What a simulation knows of its ports. */
class Ports {
  readonly pending = new Set<PortEnd>();
  made = 0;
  awake = false;

  constructor(readonly scheduler: Scheduler) {}

  /** Has the messages that have arrived delivered in the next poll phase. */
  wake(delay = 0): void {
    if (delay === 0 && this.awake) return;
    if (delay === 0) this.awake = true;
    this.scheduler.loop.after(delay, () => this.deliver());
  }

  private deliver(): void {
    this.awake = false;
    const ends = [...this.pending].sort((a, b) => a.order - b.order);
    for (const end of ends) {
      for (let i = 0; i < BATCH && end.deliver(); i++);
    }
    if (ends.some((end) => end.hasArrived && end.isReceptive)) this.wake();
  }
}

const portsOf = new WeakMap<Scheduler, Ports>();
const ends = new WeakMap<MessagePort, PortEnd>();

/** The end that belongs to a port; undefined for ports that were made elsewhere. */
export function endOf(port: unknown): PortEnd | undefined {
  return ends.get(port as MessagePort);
}

export class PortEnd {
  /** Undefined while it travels in a message. */
  port: MessagePort | undefined;
  /** The other end. */
  peer!: PortEnd;
  order = 0;
  /** `start` was called, or a first listener for messages has been added. */
  started = false;
  /** `ref` was called: Node does that just before it adds a first listener. */
  referred = false;
  closed = false;
  /** The closing phase in which it closes has come: nothing that it posts goes out any more. */
  gone = false;
  /** The context in which it calls listeners: that in which the port was made. */
  private context: AsyncResource;
  private ports: Ports;
  private readonly incoming: Posted[] = [];

  /** @param kept whether the port lives on after the simulation */
  constructor(
    private scheduler: Scheduler,
    port: MessagePort,
    private readonly kept: boolean,
  ) {
    this.port = port;
    this.ports = this.join(scheduler);
    this.context = contextNow();
    ends.set(port, this);
  }

  /** The end belongs to `scheduler` from now on: a package may keep a channel over many runs. */
  adopt(scheduler: Scheduler): this {
    if (this.scheduler === scheduler) return this;
    for (const end of [this, this.peer]) {
      end.scheduler = scheduler;
      end.ports = end.join(scheduler);
      end.incoming.length = 0;
    }
    return this;
  }

  get hasArrived(): boolean {
    const [first] = this.incoming;
    return first !== undefined && first.arrives <= this.scheduler.loop.now;
  }

  /** Whether messages are delivered to the port now. */
  get isReceptive(): boolean {
    const { port } = this;
    if (port === undefined || this.gone) return false;
    if (this.referred && port.listenerCount('message') > 0) this.started = true;
    return this.started || this.incoming[0]?.moved === undefined;
  }

  /** Looks for messages to deliver: something about the port has changed. */
  look(): void {
    if (this.hasArrived) this.ports.wake();
  }

  /** A message from the other end has been put into the real port. */
  post(moved: readonly PortEnd[] | undefined): void {
    const { scheduler } = this;
    const { loop, current } = scheduler;
    const site = siteOfCall(scheduler);
    const travels =
      moved === undefined ? 0 : loop.choose(Kind.Io, STUBS, current.task, site, LONGEST);
    const before = this.incoming.at(-1)?.arrives ?? 0;
    const arrives = Math.max(before, loop.now + travels);
    const task = scheduler.childTask(current.task, site.eventLabel, site.eventLabelHash);
    this.incoming.push({ arrives, task, site, caller: current, moved });
    this.ports.pending.add(this);
    this.ports.wake(arrives - loop.now);
  }

  /** Takes the next message that has arrived, whoever listens; undefined when there is none. */
  receive(): Envelope | undefined {
    const [next] = this.incoming;
    if (next?.moved === undefined || !this.hasArrived || this.port === undefined) return undefined;
    this.incoming.shift();
    return this.take(next.moved);
  }

  /** Delivers the next message, if one has arrived and is wanted. */
  deliver(): boolean {
    if (!this.hasArrived || !this.isReceptive) return false;
    const next = this.incoming.shift()!;
    if (this.incoming.length === 0) this.ports.pending.delete(this);
    const { scheduler } = this;
    if (next.moved === undefined) {
      if (!this.closed) this.close();
      return false;
    }
    const { moved } = next;
    try {
      runInContext(this.context, () =>
        scheduler.runEvent(next.task, next.site, next.caller, () => this.dispatch(moved)),
      );
    } catch (error) {
      scheduler.loop.reportError(error);
    }
    drain();
    return true;
  }

  /** Closes the port in the next closing phase, and the other end after it. */
  close(): void {
    const { scheduler } = this;
    this.closed = true;
    const site = siteOfCall(scheduler);
    const { current } = scheduler;
    const task = scheduler.childTask(current.task, site.eventLabel, site.eventLabelHash);
    scheduler.loop.close(() => {
      this.gone = true;
      this.incoming.length = 0;
      this.ports.pending.delete(this);
      if (!this.peer.closed) this.peer.post(undefined);
      runInContext(this.context, () =>
        scheduler.runEvent(task, site, current, () => this.port?.dispatchEvent(new Event('close'))),
      );
      this.closeReally();
    });
  }

  /** Its port begins to travel. */
  leave(): void {
    ends.delete(this.port!);
    this.port = undefined;
    this.started = this.referred = false;
  }

  private take(moved: readonly PortEnd[]): Envelope {
    const [message, ports] = receiveMessageOnPort(this.port!)!.message as Envelope;
    moved.forEach((end, i) => end.arrive(ports[i]));
    return [message, ports];
  }

  private arrive(port: MessagePort): void {
    this.port = port;
    this.context = contextNow();
    ends.set(port, this);
  }

  private dispatch(moved: readonly PortEnd[]): void {
    const port = this.port as unknown as Record<symbol, unknown> & MessagePort;
    const dispatch = port[DISPATCH] as Dispatch;
    let message: unknown;
    try {
      [message, port[RECEIVING_PORTS]] = this.take(moved);
    } catch (error) {
      apply(dispatch, port, [error, 'messageerror', undefined]);
      return;
    }
    try {
      apply(dispatch, port, [message, 'message', undefined]);
    } finally {
      port[RECEIVING_PORTS] = undefined;
    }
  }

  private join(scheduler: Scheduler): Ports {
    let ports = portsOf.get(scheduler);
    if (ports === undefined) portsOf.set(scheduler, (ports = new Ports(scheduler)));
    this.order = ports.made++;
    scheduler.endings.push(() => this.endRun());
    return ports;
  }

  /** The run is over: nothing of it may reach the real event loop. */
  private endRun(): void {
    const { port } = this;
    if (port === undefined || this.gone) return;
    if (!this.kept) return this.closeReally();
    while (receiveMessageOnPort(port) !== undefined);
    port.unref();
  }

  private closeReally(): void {
    const { port } = this;
    if (port === undefined) return;
    for (const type of ['message', 'messageerror', 'close']) removeListeners(port, type);
    apply(close, port, []);
  }
}

/** As Node's own event targets have it, which are no event emitters. */
function removeListeners(port: MessagePort, type: string): void {
  port.removeAllListeners(type as 'message');
}

function contextNow(): AsyncResource {
  return new AsyncResource('MESSAGEPORT', { requireManualDestroy: true });
}
