/**
 * What zlib does in the thread pool: its callback functions, their promises and its streams.
 *
 * Node's own JavaScript stays. Underneath it each stream has a native handle whose `write` works in
 * the pool, and whose `writeSync` does the same at once: so a write computes at once, and calls
 * back when its turn in the pool is over.
 */

import zlib from 'node:zlib';
import type { Scheduler } from '../tasks/scheduler.js';
import { patch } from './facade.js';
import { currentHost } from './host.js';
import { beginReally } from './plain-operation.js';
import { followed } from './simulated.js';
import { ThreadPool } from './thread-pool.js';
import { isPassing } from './uncontrolled.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

/** The native handle of a stream. */
interface Handle {
  write(...args: unknown[]): void;
  writeSync(...args: unknown[]): void;
  /** Called instead of the callback when the data is wrong. */
  onerror: AnyFunction;
}

/** How long a write takes at least, in nanoseconds, and how long for each byte. */
const LEAST = 30_000;
const PER_BYTE = 10;

/** What a handle calls when a write is done; it reads the outcome from an array of the handle. */
const callbacks = new WeakMap<object, AnyFunction>();

export function installZlib(): void {
  for (const make of [
    zlib.createGzip,
    zlib.createBrotliCompress,
    zlib.createBrotliDecompress,
    (zlib as { createZstdCompress?: () => zlib.Gzip }).createZstdCompress,
    (zlib as { createZstdDecompress?: () => zlib.Gzip }).createZstdDecompress,
  ]) {
    if (make !== undefined) installHandle(make());
  }
}

function installHandle(stream: zlib.Gzip | zlib.BrotliCompress): void {
  const handle = (stream as unknown as { _handle: Handle })._handle;
  const prototype = Object.getPrototypeOf(handle) as Handle;
  const place = `zlib.${handle.constructor.name}`;
  patch(prototype, 'init', `${place}.init`, (real) => {
    return function (this: Handle, ...args: unknown[]) {
      const callback = args.findLast((arg) => typeof arg === 'function');
      if (callback !== undefined) callbacks.set(this, callback as AnyFunction);
      return apply(real, this, args) as unknown;
    };
  });
  patch(prototype, 'write', `${place}.write`, (real) => {
    return function (this: Handle, ...args: unknown[]) {
      const scheduler = followed();
      const callback = callbacks.get(this);
      if (scheduler === undefined || callback === undefined || isPassing()) {
        return apply(real, this, args) as unknown;
      }
      write(scheduler, this, real, callback, args);
      return undefined;
    };
  });
  stream.close();
}

/** @param args flush flag; input, offset and length; output, offset and length */
function write(
  scheduler: Scheduler,
  handle: Handle,
  real: AnyFunction,
  callback: AnyFunction,
  args: unknown[],
): void {
  const least = LEAST + PER_BYTE * (args[3] as number);
  if (scheduler.plainNode) {
    beginReally(scheduler, 'ZLIB', least, () => void apply(real, handle, args));
    return;
  }
  const { onerror } = handle;
  let failure: unknown[] | undefined;
  handle.onerror = (...raised) => void (failure = raised);
  try {
    handle.writeSync(...args);
  } finally {
    handle.onerror = onerror;
  }
  currentHost(scheduler)
    .part(ThreadPool)
    .run(scheduler, 'ZLIB', least, () =>
      failure === undefined ? apply(callback, handle, []) : apply(onerror, handle, failure),
    );
}
