/**
 * A connection that comes about: the request travels to the listener, and the answer back.
 *
 * Each way takes its own time, so of several connections any can be accepted first, whichever was
 * asked for first, and each end can learn of it before or after other things happen.
 */

import { Kind } from '../../kernel/choice.js';
import type { Host } from '../host.js';
import { siteOfCall } from '../operation.js';
import { VirtualEvent } from '../virtual-event.js';
import { UV } from './bindings.js';
import { Leg } from './leg.js';
import type { Accepting } from './ports.js';
import type { ConnectingHandle } from './sockets.js';
import type { Request } from './stream-handle.js';

/** How long Linux goes on asking when nobody answers (tcp_syn_retries = 6), in nanoseconds. */
const PATIENCE = 127e9;

export class Connecting {
  private readonly there: Leg;
  private readonly back: Leg;
  private readonly event: VirtualEvent;
  private status = 0;
  private over = false;

  /** @param find the listener that takes it, at the time when it arrives */
  constructor(
    private readonly client: ConnectingHandle,
    private readonly request: Request,
    private readonly to: Host,
    type: string,
    private readonly find: () => Accepting | undefined,
  ) {
    const { scheduler, network, host } = client;
    const site = siteOfCall(scheduler);
    const [there, back] = [network.link(host, to).latency(), network.link(to, host).latency()];
    this.there = new Leg(scheduler, site, there, () => this.arrive());
    this.back = new Leg(scheduler, site, back, () => this.finish(this.status));
    this.event = new VirtualEvent(scheduler, site, type);
  }

  begin(): this {
    this.there.begin();
    return this;
  }

  /** It is known already that it fails; it is told with the next turn. */
  fail(status: number): void {
    this.client.scheduler.loop.after(0, () => this.finish(status));
  }

  /** The client was closed meanwhile. */
  abort(): void {
    this.finish(UV.ECANCELED);
  }

  private arrive(): void {
    const { client, to } = this;
    const { network, scheduler } = client;
    if (network.isCut(client.host, to)) return this.wait();
    const listener = this.refused() ? undefined : this.find();
    if (listener === undefined) this.status = UV.ECONNREFUSED;
    if (!this.over) this.back.begin();
    if (listener === undefined || scheduler.ended) return;
    listener.accept(client);
    if (client.closed) client.endAfterClose();
  }

  private refused(): boolean {
    const { host, network, scheduler } = this.client;
    const rate = host.faults.sockets.refuse ?? 0;
    if (rate <= 0) return false;
    const link = network.link(host, this.to);
    return scheduler.loop.strikes(Kind.Refuse, link, ++link.asked, rate);
  }

  /** Nobody answers, until the network has healed or patience is at an end. */
  private wait(): void {
    const { network, scheduler } = this.client;
    let waiting = true;
    const timeout = scheduler.loop.after(PATIENCE, () => {
      waiting = false;
      this.finish(UV.ETIMEDOUT);
    });
    network.wait({
      healed: () => {
        if (!waiting || this.over) return;
        scheduler.loop.cancel(timeout);
        this.there.begin();
      },
    });
  }

  private finish(status: number): void {
    if (this.over) return;
    this.over = true;
    const { client, request, event } = this;
    const open = status === 0;
    client.connected(status);
    event.run(() => request.oncomplete?.(status, client, request, open, open));
    event.destroy();
  }
}
