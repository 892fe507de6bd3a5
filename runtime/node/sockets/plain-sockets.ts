/**
 * Real sockets in a run on plain Node that follows a schedule: connecting, writing and ending begin
 * after the real delay of the choice that the simulation would have asked for.
 *
 * What happens on a socket is an event of a task, which is found as in a simulation, so that
 * choices have the keys they have there.
 */

import net from 'node:net';
import { Kind } from '../../kernel/choice.js';
import { MILLISECOND } from '../../kernel/event-loop.js';
import { NODE } from '../../kernel/rung.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { patch } from '../facade.js';
import { siteOfCall } from '../operation.js';
import { onPlainNode } from '../plain-node.js';
import { pristine } from '../pristine.js';
import { VirtualEvent } from '../virtual-event.js';
import { Pipe, TCP } from './bindings.js';
import { nextTask, ownerNow, type Owner } from './owner.js';
import type { Request } from './stream-handle.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

interface Handle {
  onread?: AnyFunction;
  onconnection?: AnyFunction;
}

/** What a socket still has to send, in order. */
class Line {
  private readonly waiting: (() => void)[] = [];
  private freeAt = 0;

  get empty(): boolean {
    return this.waiting.length === 0;
  }

  /** Sends after so many nanoseconds, and after what was sent before. */
  send(nanoseconds: number, begin: () => void): void {
    const now = pristine.performanceNow();
    this.freeAt = Math.max(this.freeAt, now + nanoseconds / MILLISECOND);
    this.waiting.push(begin);
    pristine.setTimeout(() => this.waiting.shift()?.(), this.freeAt - now);
  }

  flush(): void {
    for (const begin of this.waiting.splice(0)) begin();
  }
}

const lines = new WeakMap<net.Socket, Line>();

function lineOf(socket: net.Socket): Line {
  let line = lines.get(socket);
  if (line === undefined) lines.set(socket, (line = new Line()));
  return line;
}

/**
 * Real connections take longer than simulated ones, and not always as long: what the schedule holds
 * back must come later than all that it does not, in nanoseconds.
 */
const SLACK = 5 * MILLISECOND;

/** The delay of the site that runs now, in nanoseconds. */
function chosen(scheduler: Scheduler): number {
  const site = siteOfCall(scheduler);
  const { loop, current } = scheduler;
  const delay = loop.choose(Kind.Io, NODE, current.task, site, Infinity);
  return delay > 0 ? delay + SLACK : 0;
}

export function installPlainSockets(): void {
  for (const { prototype } of [TCP, Pipe]) {
    for (const name of ['connect', 'connect6']) connectLater(prototype, name);
  }
  const socket = net.Socket.prototype;
  patch(socket, '_writeGeneric', 'net.Socket._writeGeneric', writeWith);
  patch(socket, '_final', 'net.Socket._final', finalWith);
  patch(socket, '_destroy', 'net.Socket._destroy', destroyWith);
}

function connectLater(prototype: object, name: string): void {
  const real = Reflect.get(prototype, name) as AnyFunction | undefined;
  if (real === undefined || !Object.hasOwn(prototype, name)) return;
  Object.defineProperty(prototype, name, {
    value(this: Handle, request: Request, ...to: unknown[]): unknown {
      const scheduler = onPlainNode();
      if (scheduler === undefined) return apply(real, this, [request, ...to]) as unknown;
      const owner = ownerNow(scheduler);
      const [there, back] = [chosen(scheduler), chosen(scheduler)];
      const event = new VirtualEvent(scheduler, owner.site, 'TCPCONNECTWRAP');
      const { oncomplete } = request;
      request.oncomplete = (...args) =>
        later(back, () => event.run(() => apply(oncomplete!, request, args) as unknown));
      followReads(scheduler, this, owner);
      const begin = (): number => apply(real, this, [request, ...to]) as number;
      if (there === 0) return begin();
      later(there, () => {
        const status = begin();
        if (status !== 0) request.oncomplete?.(status, this, request, false, false);
      });
      return 0;
    },
    writable: true,
    configurable: true,
  });
}

function later(nanoseconds: number, run: () => void): void {
  if (nanoseconds === 0) run();
  else pristine.setTimeout(run, nanoseconds / MILLISECOND);
}

/** Everything that a handle reads is an event of its owner. */
function followReads(scheduler: Scheduler, handle: Handle, owner: Owner): void {
  const { onread } = handle;
  if (onread === undefined) return;
  handle.onread = function (this: unknown, ...args: unknown[]) {
    let result: unknown;
    inTask(scheduler, owner, () => (result = apply(onread, this, args)));
    return result;
  };
}

/** Everything that a server accepts is an event of who listens, and owns what follows. */
export function followConnections(scheduler: Scheduler, handle: Handle): void {
  const owner = ownerNow(scheduler);
  const { onconnection } = handle;
  if (onconnection === undefined) return;
  handle.onconnection = function (this: unknown, status: number, client: Handle) {
    inTask(scheduler, owner, () => {
      const { task } = scheduler.current;
      apply(onconnection, this, [status, client]);
      if (client !== undefined) followReads(scheduler, client, { ...owner, task });
    });
  };
}

function inTask(scheduler: Scheduler, owner: Owner, run: () => void): void {
  if (scheduler.ended) return run();
  scheduler.runEvent(nextTask(scheduler, owner), owner.site, owner.caller, run);
}

function writeWith(real: AnyFunction): AnyFunction {
  return function writeGeneric(this: net.Socket, writev: boolean, data: unknown, ...rest: any[]) {
    const scheduler = this.connecting ? undefined : onPlainNode();
    if (scheduler === undefined) return apply(real, this, [writev, data, ...rest]) as unknown;
    const line = lineOf(this);
    const delay = chosen(scheduler);
    if (delay === 0 && line.empty) return apply(real, this, [writev, data, ...rest]) as unknown;
    const [encoding, callback] = rest as [string, () => void];
    line.send(delay, () => void apply(real, this, [writev, data, encoding, () => {}]));
    return callback() as unknown;
  };
}

function finalWith(real: AnyFunction): AnyFunction {
  return function final(this: net.Socket, callback: () => void) {
    const scheduler = this.connecting ? undefined : onPlainNode();
    if (scheduler === undefined) return apply(real, this, [callback]) as unknown;
    const line = lineOf(this);
    const delay = chosen(scheduler);
    if (delay === 0 && line.empty) return apply(real, this, [callback]) as unknown;
    line.send(delay, () => void apply(real, this, [() => {}]));
    return callback() as unknown;
  };
}

function destroyWith(real: AnyFunction): AnyFunction {
  return function destroy(this: net.Socket, ...args: unknown[]) {
    lines.get(this)?.flush();
    return apply(real, this, args) as unknown;
  };
}
