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
import type { StreamHandle } from './stream-handle.js';

/** The sender says that no more bytes will follow. */
export const END = Symbol('end');
/** The sender breaks the connection off. */
export const RESET = Symbol('reset');

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
  private silent = false;
  private readonly release = (): number => {
    this.segments[0].hold = 0;
    this.from.scheduler.loop.schedule(1, this);
    return this.due;
  };

  constructor(
    private readonly from: StreamHandle,
    private readonly to: StreamHandle,
  ) {
    super();
  }

  /** Sends something from the site that runs now. */
  send(sent: Sent): void {
    const { from, to, segments } = this;
    const { scheduler, network } = from;
    const { loop, current } = scheduler;
    const site = siteOfCall(scheduler);
    const least = Math.max(loop.now + network.link(from.host, to.host).latency(), this.lastDue);
    const chosen = loop.choose(Kind.Io, NODE, current.task, site, Infinity, least);
    const due = least + Math.max(0, chosen);
    this.lastDue = due;
    segments.push({ sent, due, hold: Math.min(0, chosen) });
    if (segments.length === 1) this.await();
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
    if (this.segments.length > 0 && !this.silent) this.await();
  }

  run(): void {
    const { segments, to } = this;
    const { network, scheduler } = this.from;
    const { loop } = scheduler;
    if (network.isCut(this.from.host, to.host)) return network.wait(this);
    if (segments[0].hold < 0) return loop.hold(segments[0].hold, this.release);
    let arrived = 1;
    for (; arrived < segments.length; arrived++) {
      const { due, hold } = segments[arrived];
      if (due > loop.now || hold < 0) break;
    }
    const now = segments.splice(0, arrived);
    if (segments.length > 0) this.await();
    for (const { sent } of now) to.arrive(sent);
    to.arrived();
  }

  private await(): void {
    const { loop } = this.from.scheduler;
    loop.schedule(Math.max(0, this.segments[0].due - loop.now), this);
  }
}
