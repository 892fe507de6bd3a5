/**
 * One direction of a connection: what is under way, in the order in which it was sent.
 *
 * Everything that is sent takes at least the latency of the link; what is chosen beyond that is a
 * choice of the site that sent it, on rung `node`. Nothing overtakes: what was sent later arrives
 * later, or together with what was sent before, as bytes of a stream do.
 */

import { Kind } from '../../kernel/choice.js';
import { QueuedEvent } from '../../kernel/event-queue.js';
import { NODE } from '../../kernel/rung.js';
import { siteOfCall } from '../operation.js';
import { ConnectionFaults } from './connection-faults.js';
import type { StreamHandle } from './stream-handle.js';

/** The sender says that no more bytes will follow. */
export const END = Symbol('end');
/** The sender breaks the connection off. */
export const RESET = Symbol('reset');

/** How much later than the first the second part of a write arrives at least, in nanoseconds. */
const GAP = 10_000;

/** Encrypted bytes are counted in blocks; see {@link Channel.sendBytes}. */
const BLOCK = 1024;

/** How long Linux sends again and again (tcp_retries2 = 15), in nanoseconds. */
const PATIENCE = 924e9;

type Sent = Uint8Array | typeof END | typeof RESET;

interface Segment {
  readonly sent: Sent;
  due: number;
  /** Negative while a strategy is to say when it arrives; see `EventLoop.choose`. */
  hold: number;
}

export class Channel extends QueuedEvent {
  private readonly segments: Segment[] = [];
  private lastDue = 0;
  /** When the line is free again. */
  private lastSent = 0;
  private silent = false;
  private faults: ConnectionFaults | undefined = undefined;
  private timeout: QueuedEvent | undefined = undefined;
  private readonly release = (): number => {
    this.segments[0].hold = 0;
    this.from.scheduler.loop.schedule(1, this);
    return this.due;
  };

  /** @param name tells it from every other */
  constructor(
    private readonly from: StreamHandle,
    private readonly to: StreamHandle,
    private readonly name: string,
  ) {
    super();
  }

  /** Sends bytes from the site that runs now; they may arrive in two parts. */
  sendBytes(bytes: Uint8Array): void {
    // How long encrypted bytes are is a matter of chance here and there, so nothing may go by it.
    const cut = this.from.above === undefined ? this.decided.cut(bytes.length) : 0;
    if (cut === 0) return this.send(bytes);
    this.send(bytes.subarray(0, cut));
    this.lastDue += GAP;
    this.send(bytes.subarray(cut));
  }

  /** Sends something from the site that runs now. */
  send(sent: Sent): void {
    const { from, to, segments } = this;
    const { scheduler, network } = from;
    const { loop, current } = scheduler;
    current.task.host?.beforeOperation?.();
    const site = siteOfCall(scheduler);
    const travels = network.link(from.host, to.host).latency();
    const least = Math.max(loop.now, this.lastSent) + this.transmission(sent);
    const arrives = Math.max(least + travels, this.lastDue);
    const chosen = loop.choose(Kind.Io, NODE, current.task, site, Infinity, arrives);
    this.lastSent = least;
    this.lastDue = arrives + Math.max(0, chosen);
    if (this.silent) return;
    segments.push({ sent, due: this.lastDue, hold: Math.min(0, chosen) });
    if (segments.length === 1) this.await();
  }

  private get decided(): ConnectionFaults {
    this.faults ??= new ConnectionFaults(this.from.scheduler, this.name);
    return this.faults;
  }

  /** How long it takes to put something on the line, in nanoseconds. */
  private transmission(sent: Sent): number {
    const { bandwidth } = this.from.host.faults.sockets;
    if (bandwidth === undefined || typeof sent === 'symbol') return 0;
    const { length } = sent;
    const counted = this.from.above === undefined ? length : Math.ceil(length / BLOCK) * BLOCK;
    return Math.ceil((counted / bandwidth) * 1e9);
  }

  /** Nothing of it arrives any more. */
  drop(): void {
    this.silent = true;
    this.segments.length = 0;
    const { loop } = this.from.scheduler;
    loop.dropHeld(this.release);
    loop.cancel(this);
  }

  healed(): void {
    if (this.timeout !== undefined) this.from.scheduler.loop.cancel(this.timeout);
    this.timeout = undefined;
    if (this.segments.length > 0 && !this.silent) this.await();
  }

  run(): void {
    const { segments, to } = this;
    const { network, scheduler } = this.from;
    const { loop } = scheduler;
    if (network.isCut(this.from.host, to.host)) return this.wait();
    if (segments[0].hold < 0) return loop.hold(segments[0].hold, this.release);
    let arrived = 1;
    for (; arrived < segments.length; arrived++) {
      const { due, hold } = segments[arrived];
      if (due > loop.now || hold < 0) break;
    }
    const now = segments.splice(0, arrived);
    if (segments.length > 0) this.await();
    for (const { sent } of now) {
      const struck = this.decided.strike(this.from.host.faults.sockets);
      if (struck === 'silent') return this.drop();
      to.arrive(struck === 'reset' ? RESET : sent);
      if (struck !== 'reset') continue;
      this.drop();
      to.sendReset();
      break;
    }
    to.arrived();
  }

  /** Nothing is acknowledged, until the network has healed or the patience of the sender ends. */
  private wait(): void {
    const { network, scheduler } = this.from;
    this.timeout ??= scheduler.loop.after(PATIENCE, () => {
      this.drop();
      this.from.timeOut();
    });
    network.wait(this);
  }

  private await(): void {
    const { loop } = this.from.scheduler;
    loop.schedule(Math.max(0, this.segments[0].due - loop.now), this);
  }
}
