/**
 * `BroadcastChannel` inside a simulation: a message goes to every other channel of its name on the
 * same host, cloned for each, in the order in which the channels were made.
 */

import workerThreads from 'node:worker_threads';
import { Kind } from '../kernel/choice.js';
import { STUBS } from '../kernel/rung.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { drain } from './drain.js';
import { patch, patchConstructor } from './facade.js';
import { currentHost } from './host.js';
import { siteOfCall } from './operation.js';
import { simulated } from './simulated.js';
import { isPassing, throws } from './uncontrolled.js';
import { VirtualEvent } from './virtual-event.js';

const { apply } = Reflect;
/** The longest that a message may travel, in nanoseconds. */
const LONGEST = 60e9;

type AnyFunction = (...args: any[]) => any;
/** It is an event target, which @types/node does not say. */
type Channel = InstanceType<typeof workerThreads.BroadcastChannel> & EventTarget;

/** A message on its way to a channel. */
interface Sent {
  readonly arrives: number;
  readonly event: VirtualEvent;
  readonly data: unknown;
}

interface Member {
  readonly scheduler: Scheduler;
  readonly room: Room;
  readonly incoming: Sent[];
}

/** The open channels of a host, in the order in which they were made. */
class Room {
  readonly channels: Channel[] = [];

  /** Delivers what has arrived, channel by channel, as Node does. */
  readonly deliver = (): void => {
    for (const channel of [...this.channels]) {
      const { incoming, scheduler } = members.get(channel)!;
      while (incoming.length > 0 && incoming[0].arrives <= scheduler.loop.now) {
        const { event, data } = incoming.shift()!;
        event.run(() => channel.dispatchEvent(new MessageEvent('message', { data })));
        event.destroy();
        drain();
      }
    }
  };
}

const members = new WeakMap<object, Member>();

export function installBroadcast(): void {
  const { BroadcastChannel } = workerThreads;
  const { prototype } = BroadcastChannel;
  const close = prototype.close;
  const same = (args: unknown[]): unknown[] => args;
  const join = (made: object): void => enter(made as Channel, close);
  patch(prototype, 'postMessage', 'BroadcastChannel.postMessage', postMessageWith);
  patch(prototype, 'close', 'BroadcastChannel.close', (real) => {
    return function (this: Channel, ...args: unknown[]) {
      leave(this);
      return apply(real, this, args) as unknown;
    };
  });
  for (const [target, place] of [
    [globalThis, 'globalThis'],
    [workerThreads, 'worker_threads'],
  ] as const) {
    patchConstructor(target, 'BroadcastChannel', `${place}.BroadcastChannel`, same, join);
  }
}

function enter(channel: Channel, close: () => void): void {
  const scheduler = isPassing() ? undefined : simulated();
  if (scheduler === undefined) return;
  const room = currentHost(scheduler).part(Room);
  members.set(channel, { scheduler, room, incoming: [] });
  room.channels.push(channel);
  scheduler.endings.push(() => {
    leave(channel);
    apply(close, channel, []);
  });
}

function leave(channel: Channel): void {
  const room = members.get(channel)?.room;
  const at = room?.channels.indexOf(channel) ?? -1;
  if (at >= 0) room!.channels.splice(at, 1);
}

function postMessageWith(real: AnyFunction): AnyFunction {
  const trap = throws('BroadcastChannel.postMessage')(real);
  return function (this: Channel, ...args: unknown[]) {
    const scheduler = isPassing() ? undefined : simulated();
    const member = members.get(this);
    if (scheduler === undefined || member?.scheduler !== scheduler) {
      return apply(trap, this, args) as unknown;
    }
    const { channels } = member.room;
    // Node's own errors are raised by the real channel, which nobody listens to.
    if (args.length === 0 || !channels.includes(this)) return apply(real, this, args) as unknown;
    const others = channels.filter((one) => one !== this && one.name === this.name);
    if (others.length === 0) structuredClone(args[0]);
    const clones = others.map(() => structuredClone(args[0]) as unknown);
    others.forEach((one, i) => send(scheduler, one, clones[i]));
    return undefined;
  };
}

function send(scheduler: Scheduler, channel: Channel, data: unknown): void {
  const { loop, current } = scheduler;
  const { incoming, room } = members.get(channel)!;
  const site = siteOfCall(scheduler);
  const travels = loop.choose(Kind.Io, STUBS, current.task, site, LONGEST);
  const arrives = Math.max(incoming.at(-1)?.arrives ?? 0, loop.now + travels);
  incoming.push({ arrives, event: new VirtualEvent(scheduler, site, 'MESSAGEPORT'), data });
  loop.after(arrives - loop.now, room.deliver);
}
