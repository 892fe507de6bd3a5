/**
 * Puts simulated sockets under Node's own `dgram`, by the methods of its native handles.
 */

import { simulated } from '../simulated.js';
import { UDP } from './bindings.js';
import { DatagramSocket, type DatagramHandle } from './datagrams.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

const sockets = new WeakMap<DatagramHandle, DatagramSocket>();

/** The simulated socket of a handle; undefined for a real one. */
function socketOf(handle: DatagramHandle): DatagramSocket | undefined {
  const known = sockets.get(handle);
  const scheduler = known === undefined && fdOf(handle) < 0 ? simulated() : undefined;
  if (scheduler === undefined) return known;
  const made = new DatagramSocket(scheduler, handle);
  sockets.set(handle, made);
  return made;
}

function fdOf(handle: object): number {
  return (Reflect.get(handle, 'fd') as number | undefined) ?? -1;
}

export function installDatagrams(): void {
  const methods = Object.getOwnPropertyNames(DatagramSocket.prototype);
  for (const name of methods) {
    replace(name, name);
    if (['bind', 'connect', 'send'].includes(name)) replace(`${name}6`, name);
  }
  const close = Reflect.get(UDP.prototype, 'close') as AnyFunction;
  define('close', function (this: DatagramHandle, callback?: AnyFunction) {
    sockets.get(this)?.crash();
    return apply(close, this, callback === undefined ? [] : [callback]) as unknown;
  });
}

function replace(name: string, by: string): void {
  const real = Reflect.get(UDP.prototype, name) as AnyFunction | undefined;
  if (real === undefined || !Object.hasOwn(UDP.prototype, name)) return;
  define(name, function (this: DatagramHandle, ...args: unknown[]) {
    const socket = socketOf(this);
    if (socket === undefined) return apply(real, this, args) as unknown;
    return apply(Reflect.get(socket, by) as AnyFunction, socket, args) as unknown;
  });
}

function define(name: string, value: AnyFunction): void {
  Object.defineProperty(UDP.prototype, name, { value, writable: true, configurable: true });
}
