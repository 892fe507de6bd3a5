/**
 * Puts simulated sockets under Node's own `net`.
 *
 * Node's JavaScript uses the handle that a socket or server has already, and makes a real one only
 * where there is none. So the facades give it one of ours first, and leave the rest to Node:
 * looking up names, events, errors, closing.
 */

import net from 'node:net';
import { patch, patchConstructor } from '../facade.js';
import { currentHost } from '../host.js';
import { onPlainNode } from '../plain-node.js';
import { simulated } from '../simulated.js';
import { throwsWhenMade, uncontrolled } from '../uncontrolled.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { Pipe, TCP } from './bindings.js';
import { installDatagrams } from './datagram-install.js';
import { handleFor } from './handles.js';
import { PipeListener, TcpListener } from './listener.js';
import { installNames } from './names.js';
import { SimulatedNetwork } from './network.js';
import { followConnections, installPlainSockets } from './plain-sockets.js';
import { PipeHandle, TcpHandle } from './sockets.js';
import { installTimeouts } from './timeouts.js';
import { installTls } from './tls.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

/** UV_TCP_REUSEPORT. */
const REUSE_PORT = 2;

/** What of a socket's fields matters here. */
interface Socket extends net.Socket {
  _handle: object | null;
  _peername: object | null;
}

interface ConnectOptions {
  readonly path?: string | null;
  readonly host?: string;
  readonly lookup?: AnyFunction;
}

/** Gives a socket another handle: `kReinitializeHandle` of lib/net.js. */
const reinitialize = symbolOf(net.Socket.prototype, 'kReinitializeHandle');

function symbolOf(target: object, description: string): symbol {
  const found = Object.getOwnPropertySymbols(target).find((one) => one.description === description);
  if (found === undefined) throw new Error(`This Node has no ${description}.`);
  return found;
}

export function installSockets(): void {
  patch(net.Socket.prototype, 'connect', 'net.Socket.connect', connectWith);
  patch(net.Socket.prototype, reinitialize, 'net.Socket.kReinitializeHandle', reinitializeWith);
  patch(net.Server.prototype, '_listen2', 'net.Server._listen2', listenWith);
  passAs(TCP, TcpHandle, TcpListener);
  passAs(Pipe, PipeHandle, PipeListener);
  patchConstructor(net, 'BoundSocket', 'net.BoundSocket', throwsWhenMade('net.BoundSocket'));
  installTimeouts();
  installNames();
  installDatagrams();
  installPlainSockets();
  installTls();
}

/** Lets handles of ours pass as those of Node where its JavaScript asks. */
function passAs(Real: AnyFunction, ...ours: (abstract new (...args: any[]) => object)[]): void {
  const isReal = Real[Symbol.hasInstance] as (value: unknown) => boolean;
  Object.defineProperty(Real, Symbol.hasInstance, {
    value: (value: unknown) =>
      apply(isReal, Real, [value]) || ours.some((One) => value instanceof One),
    configurable: true,
  });
}

function connectWith(real: AnyFunction): AnyFunction {
  return function connect(this: Socket, ...args: unknown[]) {
    const scheduler = simulated();
    if (scheduler === undefined) return apply(real, this, args) as unknown;
    const options = optionsOf(args);
    if (options.path === undefined || options.path === null) {
      if (leaves(scheduler, options)) {
        throw uncontrolled(scheduler, 'net.Socket.connect', connect, options.host);
      }
    }
    if (this._handle === null || this.destroyed) {
      const handle = handleFor(scheduler, this, !!options.path);
      this._handle = null;
      this._peername = null;
      apply(net.Socket.prototype[reinitialize as never], this, [handle]);
    }
    return apply(real, this, args) as unknown;
  };
}

/** The options of a call of `connect`; see `normalizeArgs` of lib/net.js. */
function optionsOf(args: readonly unknown[]): ConnectOptions {
  const [first, second] = args;
  if (Array.isArray(first)) return optionsOf(first);
  if (typeof first === 'object' && first !== null) return first;
  if (typeof first === 'string' && !(Number(first) >= 0)) return { path: first };
  return typeof second === 'string' ? { host: second } : {};
}

/** Whether it is known already that the address is none of the simulation's, nor said to be. */
export function leaves(scheduler: Scheduler, { host, lookup }: ConnectOptions): boolean {
  if (typeof host !== 'string' || host === '') return false;
  if (lookup !== undefined && net.isIP(host) === 0) return false;
  const from = currentHost(scheduler);
  const network = SimulatedNetwork.of(scheduler);
  const address = network.addressOf(from, host);
  const found = address !== undefined && network.at(from, address) !== undefined;
  return !found && !network.unreachable.has(host);
}

/** Node gives a socket a real handle of its own for its second attempt. */
function reinitializeWith(real: AnyFunction): AnyFunction {
  return function reinitializeHandle(this: Socket, handle: { close(): void }) {
    const scheduler = simulated();
    if (scheduler === undefined || handle instanceof TcpHandle || handle instanceof PipeHandle) {
      return apply(real, this, [handle]) as unknown;
    }
    handle.close();
    return apply(real, this, [handleFor(scheduler, this, false)]) as unknown;
  };
}

function listenWith(real: AnyFunction): AnyFunction {
  return function listen(
    this: { _handle: object | null },
    address: string | null,
    port: number,
    family: number,
    backlog: number,
    descriptor: number | undefined,
    flags = 0,
  ) {
    const scheduler = simulated();
    const rest = [backlog, descriptor, flags];
    if (scheduler === undefined) {
      apply(real, this, [address, port, family, ...rest]);
      const plain = onPlainNode();
      if (plain !== undefined && this._handle !== null) followConnections(plain, this._handle);
      return;
    }
    if (typeof descriptor === 'number' && descriptor >= 0) {
      throw uncontrolled(scheduler, 'net.Server.listen', listen);
    }
    if (this._handle !== null)
      return apply(real, this, [address, port, family, ...rest]) as unknown;
    if (port === -1) {
      this._handle = new PipeListener(scheduler, address!);
      return apply(real, this, [address, port, family, ...rest]) as unknown;
    }
    const bound = address ?? '::';
    this._handle = new TcpListener(scheduler, bound, port, (flags & REUSE_PORT) !== 0);
    return apply(real, this, [bound, port, address === null ? 6 : family, ...rest]) as unknown;
  };
}
