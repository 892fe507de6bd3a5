/**
 * The bindings beneath Node's `net`, `dgram`, `dns` and `tls`: what their JavaScript calls.
 *
 * `process.binding` hands out the very objects that Node's own modules use, and warns of itself
 * once it is called; nobody has asked for that warning.
 */

import net from 'node:net';
import os from 'node:os';

type AnyFunction = (...args: any[]) => any;

/** A stream of Node's native layer; TLS and the HTTP parser can read from it and write to it. */
export interface NativeStream {
  /** What it calls for each read; see `onStreamRead` of lib/internal/stream_base_commons.js. */
  onread: AnyFunction;
  reading?: boolean;
  readStart(): number;
  readBuffer(bytes: Uint8Array): void;
  emitEOF(): void;
  finishWrite(request: object, status: number): void;
  finishShutdown(request: object, status: number): void;
}

interface StreamWrap {
  readonly streamBaseState: Int32Array;
  readonly kReadBytesOrError: number;
  readonly kArrayBufferOffset: number;
  readonly kBytesWritten: number;
  readonly kLastWriteWasAsync: number;
  /** Only where a write returns its request, since Node 26. */
  readonly kLastWriteErr?: number;
  readonly WriteWrap: new () => { oncomplete?: (status: number) => void };
}

function binding(name: string): Record<string, any> {
  const { emitWarning, noDeprecation } = process;
  process.emitWarning = () => {};
  process.noDeprecation = true;
  try {
    const get = Reflect.get(process, 'binding') as (name: string) => Record<string, any>;
    return Reflect.apply(get, process, [name]);
  } finally {
    process.emitWarning = emitWarning;
    if (noDeprecation === undefined) Reflect.deleteProperty(process, 'noDeprecation');
    else process.noDeprecation = noDeprecation;
  }
}

export const { JSStream } = binding('js_stream') as { JSStream: new () => NativeStream };
export const { TCP } = binding('tcp_wrap') as { TCP: AnyFunction & { prototype: object } };
export const { Pipe } = binding('pipe_wrap') as { Pipe: AnyFunction & { prototype: object } };
export const { UDP } = binding('udp_wrap') as { UDP: AnyFunction & { prototype: object } };
export const cares = binding('cares_wrap');
export const streamWrap = binding('stream_wrap') as StreamWrap;

/** The key under which a handle knows its socket: `owner_symbol` of lib/internal/async_hooks.js. */
export const ownerKey = keyOfOwner();

function keyOfOwner(): symbol {
  const handle = new JSStream();
  new net.Socket({ handle, manualStart: true } as net.SocketConstructorOpts);
  const keys = Object.getOwnPropertySymbols(handle);
  const found = keys.find(({ description }) => description === 'owner_symbol');
  if (found === undefined) throw new Error('This Node keeps the owner of a handle elsewhere.');
  return found;
}

const { errno } = os.constants;

/** Status codes as libuv gives them: negative numbers. */
export const UV = {
  EACCES: -errno.EACCES,
  EADDRINUSE: -errno.EADDRINUSE,
  EADDRNOTAVAIL: -errno.EADDRNOTAVAIL,
  EAFNOSUPPORT: -errno.EAFNOSUPPORT,
  EBADF: -errno.EBADF,
  ECANCELED: -errno.ECANCELED,
  ECONNREFUSED: -errno.ECONNREFUSED,
  ECONNRESET: -errno.ECONNRESET,
  EDESTADDRREQ: -errno.EDESTADDRREQ,
  EHOSTUNREACH: -errno.EHOSTUNREACH,
  EINVAL: -errno.EINVAL,
  EISCONN: -errno.EISCONN,
  EMSGSIZE: -errno.EMSGSIZE,
  ENETUNREACH: -errno.ENETUNREACH,
  ENOENT: -errno.ENOENT,
  ENOTCONN: -errno.ENOTCONN,
  EPIPE: -errno.EPIPE,
  ETIMEDOUT: -errno.ETIMEDOUT,
  EOF: -4095,
  EAI_AGAIN: -3001,
  EAI_NONAME: -3008,
} as const;
