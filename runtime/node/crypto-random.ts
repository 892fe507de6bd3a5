/**
 * Randomness from `node:crypto` and Web Crypto.
 *
 * `randomInt` is a value draw like `Math.random`; everything else takes its bytes from the words of
 * the simulation. Arguments are checked by calling the real function first, whose result is thrown
 * away, so errors are Node's own. The forms with a callback complete when the pool has had its
 * time for them.
 */

import crypto from 'node:crypto';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';
import { readDate } from './clock.js';
import { patch } from './facade.js';
import { runInPool } from './crypto-pool.js';
import { followed } from './simulated.js';
import { beginReally } from './plain-operation.js';
import { pristine } from './pristine.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;
type Bytes = ArrayBufferView | ArrayBufferLike;

export function installCryptoRandom(): void {
  const { randomFillSync } = crypto;
  for (const name of ['randomBytes', 'pseudoRandomBytes', 'prng', 'rng']) {
    patch(crypto, name, `crypto.${name}`, randomBytesWith);
  }
  patch(crypto, 'randomFillSync', 'crypto.randomFillSync', randomFillSyncWith);
  patch(crypto, 'randomFill', 'crypto.randomFill', (real) => randomFillWith(real, randomFillSync));
  patch(crypto, 'randomInt', 'crypto.randomInt', randomIntWith);
  for (const [target, place] of [
    [crypto, 'crypto'],
    [crypto.webcrypto, 'crypto.webcrypto'],
  ] as const) {
    patch(target, 'getRandomValues', `${place}.getRandomValues`, getRandomValuesWith);
    patch(target, 'randomUUID', `${place}.randomUUID`, uuidWith(4));
    patch(target, 'randomUUIDv7', `${place}.randomUUIDv7`, uuidWith(7));
  }
}

function randomBytesWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, size: number, callback?: AnyFunction) {
    const scheduler = followed();
    const valid = typeof size === 'number' && size >= 0 && size < 2 ** 31;
    const called = callback !== undefined;
    if (scheduler === undefined || !valid || (called && typeof callback !== 'function')) {
      return apply(real, this, [size, callback]) as unknown;
    }
    const site = called ? scheduler.seeSite() : scheduler.takeSite();
    const bytes = Buffer.alloc(size);
    fill(scheduler, site, bytes);
    if (!called) return bytes;
    completeLater(scheduler, () => callback(null, bytes) as unknown);
    return undefined;
  };
}

function randomFillSyncWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, target: Bytes, offset?: number, size?: number) {
    const scheduler = followed();
    const result = apply(real, this, [target, offset, size]) as unknown;
    if (scheduler !== undefined) {
      fill(scheduler, scheduler.takeSite(), region(target, offset, size));
    }
    return result;
  };
}

function randomFillWith(real: AnyFunction, fillSync: AnyFunction): AnyFunction {
  return function (this: unknown, target: Bytes, ...rest: unknown[]) {
    const scheduler = followed();
    const callback = rest.pop() as AnyFunction;
    if (scheduler === undefined || typeof callback !== 'function') {
      return apply(real, this, [target, ...rest, callback]) as unknown;
    }
    const [offset, size] = rest.filter((value) => typeof value !== 'function') as number[];
    fillSync(target, offset, size); // Raises Node's own errors.
    const site = scheduler.seeSite();
    const filled = region(target, offset, size);
    fill(scheduler, site, filled);
    if (filled.length === 0) callback(null, target);
    else completeLater(scheduler, () => callback(null, target) as unknown);
    return undefined;
  };
}

/** The bytes that `offset` and `size`, counted in elements, stand for. */
function region(target: Bytes, offset = 0, size?: number): Uint8Array {
  const width = (target as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
  const start = offset * width;
  const length = size === undefined ? target.byteLength - start : size * width;
  return ArrayBuffer.isView(target)
    ? new Uint8Array(target.buffer, target.byteOffset + start, length)
    : new Uint8Array(target, start, length);
}

function randomIntWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const scheduler = followed();
    const onlyMax = args[1] === undefined || typeof args[1] === 'function';
    const callback = args[onlyMax ? 1 : 2];
    const valid = callback === undefined || typeof callback === 'function';
    if (scheduler === undefined || !valid) return apply(real, this, args) as unknown;
    const bounds = args.slice(0, onlyMax ? 1 : 2) as number[];
    real(...bounds); // Raises Node's own errors.
    const [min, max] = onlyMax ? [0, bounds[0]] : bounds;
    const site = callback === undefined ? scheduler.takeSite() : scheduler.seeSite();
    const drawn = scheduler.loop.random(scheduler.current.task, site);
    const value = min + Math.floor(drawn * (max - min));
    if (callback === undefined) return value;
    completeLater(scheduler, () => (callback as AnyFunction)(undefined, value) as unknown);
    return undefined;
  };
}

function getRandomValuesWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, target: ArrayBufferView) {
    const scheduler = followed();
    if (scheduler === undefined) return apply(real, this, [target]) as unknown;
    const site = scheduler.takeSite();
    const result = apply(real, this, [target]) as unknown;
    fill(scheduler, site, region(target));
    return result;
  };
}

/** UUIDs after RFC 9562: version 4 is random, version 7 begins with the time in milliseconds. */
function uuidWith(version: 4 | 7): (real: AnyFunction) => AnyFunction {
  return (real) =>
    function (this: unknown, ...args: unknown[]) {
      const scheduler = followed();
      const result = apply(real, this, args) as string;
      if (scheduler === undefined) return result;
      const bytes = Buffer.alloc(16);
      fill(scheduler, scheduler.takeSite(), bytes);
      if (version === 7) bytes.writeUIntBE(Math.floor(readDate(scheduler)), 0, 6);
      bytes[6] = (bytes[6] & 0x0f) | (version << 4);
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    };
}

/** What the pool takes at least for it, in nanoseconds. */
const LEAST = 30_000;

function completeLater(scheduler: Scheduler, callback: () => unknown): void {
  const type = 'RANDOMBYTESREQUEST';
  if (!scheduler.plainNode) return runInPool(scheduler, type, LEAST, () => void callback());
  beginReally(scheduler, type, LEAST, (event) => {
    pristine.setImmediate(() => event.run(callback));
  });
}

function fill(scheduler: Scheduler, site: SourceSite, bytes: Uint8Array): void {
  const { task } = scheduler.current;
  for (let i = 0; i < bytes.length; i += 4) {
    let word = scheduler.loop.randomWord(task, site);
    const end = Math.min(i + 4, bytes.length);
    for (let j = i; j < end; j++, word >>>= 8) bytes[j] = word & 0xff;
  }
}
