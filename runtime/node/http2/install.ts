/**
 * HTTP/2 over simulated sockets. Node's own clients and servers stay, and so does nghttp2 below
 * them: see native-session.ts. Node shows none of the classes concerned, so they are taken from a
 * session with nobody, made when a program first uses HTTP/2.
 */

import http2 from 'node:http2';
import { Duplex } from 'node:stream';
import { active } from '../../tasks/scheduler.js';
import { apart } from '../../tasks/apart.js';
import { patch } from '../facade.js';
import { setTimeoutWith } from '../sockets/timeouts.js';
import { installNativeSession, installNativeStream, joinStream } from './native-session.js';
import type { NativeSession } from './native-session.js';
import { names } from '../uncontrolled.js';
import { installResponses } from './responses.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;
type Keyed = Record<symbol, object>;

export function installHttp2(): void {
  patch(http2, 'connect', 'http2.connect', (real) => names('http2.connect')(preparing(real)));
  for (const name of ['createServer', 'createSecureServer', 'performServerHandshake']) {
    patch(http2, name, `http2.${name}`, preparing);
  }
}

function preparing(real: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    prepare();
    return apply(real, this, args) as unknown;
  };
}

let prepared = false;

function prepare(): void {
  if (prepared) return;
  prepared = true;
  const { scheduler } = active;
  active.scheduler = undefined;
  try {
    apart(patchClasses);
  } finally {
    active.scheduler = scheduler;
  }
}

function patchClasses(): void {
  const nobody = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const session = http2.connect('http://nobody', { createConnection: () => nobody });
  const native = handleOf(session) as NativeSession;
  const stream = session.request({});
  const nativeStream = handleOf(stream);
  const sessions = Object.getPrototypeOf(Object.getPrototypeOf(session)) as object;
  const streams = Object.getPrototypeOf(Object.getPrototypeOf(stream)) as object;
  patch(sessions, 'setTimeout', 'http2.Http2Session.setTimeout', setTimeoutWith);
  patch(streams, 'setTimeout', 'http2.Http2Stream.setTimeout', setTimeoutWith);
  patch(streams, keyOf(streams, 'init'), 'http2.Http2Stream.init', initWith);
  installNativeSession(Object.getPrototypeOf(native) as NativeSession);
  installNativeStream(Object.getPrototypeOf(nativeStream) as object);
}

/** A stream gets its handle. */
function initWith(real: AnyFunction): AnyFunction {
  return function init(this: { session: object }, id: number, handle: object) {
    joinStream(handle, handleOf(this.session));
    installResponses(Object.getPrototypeOf(this) as object);
    return apply(real, this, [id, handle]) as unknown;
  };
}

function handleOf(object: object): object {
  return (object as Keyed)[keyOf(object, 'kHandle')];
}

function keyOf(object: object, description: string): symbol {
  const keys = Object.getOwnPropertySymbols(object);
  const found = keys.find((key) => key.description === description);
  if (found === undefined) throw new Error(`This Node has no ${description} in HTTP/2.`);
  return found;
}
