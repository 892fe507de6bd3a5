/**
 * The native sessions of HTTP/2 in a simulation.
 *
 * What a session has to write it writes from an immediate of the real event loop, which does not
 * turn while a simulation runs. But it also writes when it has read something. So whatever may give
 * it something to write, a call of Node's JavaScript or bytes that came, is followed by an
 * immediate of the simulation in which the session reads a few bytes that mean nothing. What the
 * native layer measures by the real clock goes by the virtual one.
 */

import type { Scheduler } from '../../tasks/scheduler.js';
import { patch } from '../facade.js';
import { simulated } from '../simulated.js';
import { ownerKey } from '../sockets/bindings.js';
import { nextTask, ownerNow } from '../sockets/owner.js';
import { FrameCutter } from './frame-cutter.js';
import { SessionStream, type SocketHandle } from './session-stream.js';

const { apply } = Reflect;
const MILLISECOND = 1e6;

type AnyFunction = (...args: any[]) => any;
type Acknowledged = (acknowledged: boolean, milliseconds: number, payload?: Buffer) => void;

/** `Http2Session` of src/node_http2.cc. */
export interface NativeSession {
  consume(handle: object): void;
  receive(bytes: Uint8Array): void;
}

/** Gives a session something to read that means nothing. */
let receive: AnyFunction;

class Session {
  private scheduled = false;
  /** Answers that still have to come, each of which is told that it will not when all is over. */
  private readonly waiting = new Set<() => void>();

  readonly stream: SessionStream;
  destroyed = false;

  constructor(
    readonly scheduler: Scheduler,
    private readonly handle: NativeSession,
    below: SocketHandle,
  ) {
    const cutter = new FrameCutter(ownerOf(handle).type === SERVER);
    this.stream = new SessionStream(scheduler, below, cutter, () => this.moved());
  }

  /** There may be something to write: it is written in the next phase of immediates. */
  moved(): void {
    const { scheduler, stream } = this;
    stream.settle();
    if (this.scheduled || this.destroyed || scheduler.ended) return;
    this.scheduled = true;
    const owner = ownerNow(scheduler);
    scheduler.loop.immediate(() => {
      this.scheduled = false;
      const filler = this.destroyed ? undefined : stream.cutter.filler();
      if (filler === undefined) return;
      scheduler.runEvent(nextTask(scheduler, owner), owner.site, owner.caller, () => {
        apply(receive, this.handle, [filler]);
        stream.settle();
      });
    });
  }

  /** The callback of a ping or of settings, with the time by the virtual clock. */
  timed(callback: Acknowledged): Acknowledged {
    const { scheduler, waiting } = this;
    const { now } = scheduler.loop;
    const answer: Acknowledged = (acknowledged, _milliseconds, payload) => {
      if (!waiting.delete(cancel) || scheduler.ended) return;
      const milliseconds = (scheduler.loop.now - now) / MILLISECOND;
      callback(acknowledged, acknowledged ? milliseconds : 0, payload);
    };
    const cancel = (): void => answer(false, 0);
    waiting.add(cancel);
    return answer;
  }

  /** The native layer would tell of it in an immediate. */
  cancelWaiting(): void {
    const { scheduler, waiting } = this;
    if (waiting.size === 0) return;
    const owner = ownerNow(scheduler);
    scheduler.loop.immediate(() =>
      scheduler.runEvent(nextTask(scheduler, owner), owner.site, owner.caller, () => {
        for (const cancel of [...waiting]) cancel();
      }),
    );
  }
}

/** By native sessions and streams. */
const sessions = new WeakMap<object, Session>();

/** The simulated session of a native session or stream; undefined for a real one. */
function sessionOf(handle: object): Session | undefined {
  const session = sessions.get(handle);
  return session === undefined || session.scheduler.ended ? undefined : session;
}

/** @param prototype of the native sessions */
export function installNativeSession(prototype: NativeSession): void {
  receive = prototype.receive;
  const special: Record<string, (real: AnyFunction) => AnyFunction> = {
    consume: consumeWith,
    receive: receiveWith,
    ping: pingWith,
    settings: settingsWith,
    destroy: destroyWith,
  };
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name === 'constructor') continue;
    patch(prototype, name, `http2.Http2Session.${name}`, special[name] ?? movedWith);
  }
}

/** The methods of native streams after which there may be something to write. */
const OF_STREAMS = (
  'priority pushPromise info trailers respond rstStream destroy readStart ' +
  'shutdown writev writeBuffer writeAsciiString writeUtf8String writeUcs2String writeLatin1String'
).split(' ');

/** @param prototype of the native streams */
export function installNativeStream(prototype: object): void {
  for (const name of OF_STREAMS) {
    patch(prototype, name, `http2.Http2Stream.${name}`, movedWith);
  }
}

/** A native stream belongs to a native session. */
export function joinStream(stream: object, session: object): void {
  const found = sessions.get(session);
  if (found !== undefined) sessions.set(stream, found);
}

function movedWith(real: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]) {
    const session = simulated() && sessionOf(this);
    session?.stream.settle();
    const result = apply(real, this, args) as unknown;
    session?.moved();
    return result;
  };
}

/** `NGHTTP2_SESSION_SERVER`. */
const SERVER = 0;

function ownerOf(handle: object): { readonly type: number } {
  return (handle as Record<symbol, { readonly type: number }>)[ownerKey];
}

function consumeWith(real: AnyFunction): AnyFunction {
  return function consume(this: NativeSession, handle: SocketHandle) {
    const scheduler = simulated();
    if (scheduler === undefined) return apply(real, this, [handle]) as unknown;
    const session = new Session(scheduler, this, handle);
    sessions.set(this, session);
    let complete: AnyFunction | undefined;
    Object.defineProperty(this, 'ongracefulclosecomplete', {
      get: () => () => session.stream.whenSettled(() => complete?.()),
      set: (callback: AnyFunction) => (complete = callback),
    });
    return apply(real, this, [session.stream]) as unknown;
  };
}

/** Bytes that had come before the session was there. */
function receiveWith(real: AnyFunction): AnyFunction {
  return function (this: object, bytes: Buffer) {
    const session = simulated() && sessionOf(this);
    if (session === undefined) return apply(real, this, [bytes]) as unknown;
    for (const frame of session.stream.cutter.take(bytes)) apply(real, this, [frame]);
    session.moved();
    return undefined;
  };
}

function pingWith(real: AnyFunction): AnyFunction {
  return function (this: object, payload: Uint8Array | undefined, callback: Acknowledged) {
    const session = simulated() && sessionOf(this);
    if (session === undefined) return apply(real, this, [payload, callback]) as unknown;
    const sent = payload ?? payloadOf(session.scheduler);
    const result = apply(real, this, [sent, session.timed(callback)]) as unknown;
    session.moved();
    return result;
  };
}

/** By default a ping carries the time. */
function payloadOf(scheduler: Scheduler): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeBigUInt64LE(BigInt(scheduler.loop.now));
  return payload;
}

function settingsWith(real: AnyFunction): AnyFunction {
  return function (this: object, callback: Acknowledged) {
    const session = simulated() && sessionOf(this);
    if (session === undefined) return apply(real, this, [callback]) as unknown;
    const result = apply(real, this, [session.timed(callback)]) as unknown;
    session.moved();
    return result;
  };
}

function destroyWith(real: AnyFunction): AnyFunction {
  return function (this: object, ...args: unknown[]) {
    const session = simulated() && sessionOf(this);
    session?.stream.settle();
    const result = apply(real, this, args) as unknown;
    if (session !== undefined) {
      session.stream.settle();
      session.destroyed = true;
      session.cancelWaiting();
    }
    return result;
  };
}
