/**
 * `fetch`, `WebSocket` and `EventSource` go by undici, and so by simulated sockets. What asks for a
 * host that is none of the simulation's is told so where it asks.
 */

import http from 'node:http';
import net from 'node:net';
import { patch, patchConstructor } from '../facade.js';
import { pristine } from '../pristine.js';
import { simulated } from '../simulated.js';
import { leaves } from '../sockets/install.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { isPassing, uncontrolled } from '../uncontrolled.js';
import { answersItself } from './undici.js';

const { apply } = Reflect;
const { URL } = globalThis;

type Fetch = typeof fetch;

/** Sockets have been replaced before. */
export function installFetch(): void {
  ownConnect = net.Socket.prototype.connect;
  patch(globalThis, 'fetch', 'globalThis.fetch', (real: Fetch) => {
    return function trap(this: unknown, ...args: Parameters<Fetch>) {
      const scheduler = simulated();
      if (scheduler === undefined || isPassing() || answersItself(dispatcherOf(args[1]))) {
        return apply(real, this, args);
      }
      const [input] = args;
      const host = strange(scheduler, input instanceof Request ? input.url : input);
      if (host === undefined) return apply(real, this, args);
      return pristine.Promise.reject(uncontrolled(scheduler, 'fetch', trap, host));
    };
  });
  installLazily('WebSocket');
  installLazily('EventSource');
}

function dispatcherOf(options: unknown): object | undefined {
  return (options as { dispatcher?: object } | undefined)?.dispatcher;
}

/** `connect` of sockets, ours and not that of a library that answers in place of a server. */
let ownConnect: unknown;

/**
 * The host that a URL asks for when it is none of the simulation's; undefined for any other, and
 * where somebody stands between who may answer for it.
 */
function strange(scheduler: Scheduler, url: unknown): string | undefined {
  if (net.Socket.prototype.connect !== ownConnect) return undefined;
  let host: string;
  try {
    host = new URL(String(url)).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return undefined;
  }
  return leaves(scheduler, { host }) ? host : undefined;
}

/**
 * Node loads these classes when they are first asked for, even for a look at the property, and that
 * takes long. So the facade is made then; `http` has `WebSocket` too, and shows it as a getter.
 */
function installLazily(name: 'WebSocket' | 'EventSource'): void {
  if (!Object.hasOwn(globalThis, name)) return;
  const define = (value: unknown): void =>
    void Object.defineProperty(globalThis, name, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  const make = (): void => patchConstructor(globalThis, name, name, (args) => checked(name, args));
  if (Object.getOwnPropertyDescriptor(http, name)?.get === undefined) return make();
  Reflect.deleteProperty(globalThis, name); // To define it anew alone would load it.
  Object.defineProperty(globalThis, name, {
    get() {
      define(Reflect.get(http, name));
      make();
      return Reflect.get(globalThis, name) as unknown;
    },
    set: define,
    enumerable: false,
    configurable: true,
  });
}

function checked(name: string, args: unknown[]): unknown[] {
  const scheduler = isPassing() ? undefined : simulated();
  const host = scheduler === undefined ? undefined : strange(scheduler, args[0]);
  if (host !== undefined) throw uncontrolled(scheduler!, `new ${name}`, checked, host);
  return args;
}
