/**
 * `setTimeout` of sockets, by virtual time.
 *
 * Node starts a timer of its own under a private key of the socket, refreshes it whenever bytes
 * move, and stops it when the socket is destroyed. In a simulation a virtual one stands there.
 */

import net from 'node:net';
import { patch } from '../facade.js';
import { pristine } from '../pristine.js';
import { simulated } from '../simulated.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { Timeout } from '../timeout.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

interface Socket extends net.Socket {
  [key: symbol]: unknown;
  timeout?: number;
  _onTimeout(): void;
}

/** `kTimeout` of lib/internal/timers.js, under which a socket has its timer. */
const timeoutKey = keyOfTimeout();

function keyOfTimeout(): symbol {
  const socket = new net.Socket();
  const keys = Object.getOwnPropertySymbols(socket);
  const found = keys.find(({ description }) => description === 'timeout');
  if (found === undefined) throw new Error('This Node keeps the timer of a socket elsewhere.');
  return found;
}

/** What Node may do with the timer of a socket: refresh it, and stop it by `clearTimeout`. */
class SocketTimer {
  readonly _destroyed = true;
  private readonly timer: Timeout;

  constructor(scheduler: Scheduler, callback: () => void, milliseconds: number) {
    this.timer = new Timeout(scheduler, callback, milliseconds, undefined, UNREF);
  }

  refresh(): this {
    this.timer.refresh();
    return this;
  }

  get _onTimeout(): unknown {
    return this.timer._onTimeout;
  }

  /** This is how `clearTimeout` of lib/timers.js begins. */
  set _onTimeout(_null: unknown) {
    this.stop();
  }

  stop(): void {
    this.timer.stop();
  }
}

const UNREF = { repeat: false, ref: false };

export function installTimeouts(): void {
  patch(net.Socket.prototype, 'setTimeout', 'net.Socket.setTimeout', setTimeoutWith);
}

export function setTimeoutWith(real: AnyFunction): AnyFunction {
  return function setStreamTimeout(this: Socket, milliseconds: number, callback?: () => void) {
    const scheduler = simulated();
    if (scheduler === undefined || this.destroyed) {
      return apply(real, this, [milliseconds, callback]) as unknown;
    }
    const before = this[timeoutKey];
    // Node checks the arguments, stops the timer that there is, deals with the callback, and starts
    // a timer of its own.
    apply(real, this, [milliseconds, callback]);
    const started = this[timeoutKey];
    if (started === before || started === null) return this;
    pristine.clearTimeout(started as NodeJS.Timeout);
    this[timeoutKey] = new SocketTimer(scheduler, () => this._onTimeout(), milliseconds);
    return this;
  };
}
