/**
 * `crypto.subtle`: a call is answered at once, and its promise settles when the thread pool has had
 * its time for it.
 *
 * Keys for AES and HMAC are made of bytes that the seed decides. Other generated keys and what
 * Web Crypto draws for itself are not decided by it, and recorded.
 */

import crypto from 'node:crypto';
import type { Scheduler } from '../tasks/scheduler.js';
import { runInPool } from './crypto-pool.js';
import { patch } from './facade.js';
import { beginReally } from './plain-operation.js';
import { pristine, subscribe } from './pristine.js';
import { followed } from './simulated.js';
import type { SubtleOutcome } from './subtle-thread.js';
import { isPassing, passThrough, record } from './uncontrolled.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

/** How long a call takes at least, in nanoseconds. */
const LEAST = 50_000;
const LEAST_OF_KEY_PAIR = 60e6;

export function installSubtle(): void {
  const { subtle } = crypto.webcrypto;
  const prototype = Object.getPrototypeOf(subtle) as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name === 'constructor') continue;
    patch(prototype, name, `crypto.subtle.${name}`, (real) => facadeOf(name, real, subtle));
  }
}

function facadeOf(name: string, real: AnyFunction, subtle: object): AnyFunction {
  return function facade(this: unknown, ...args: unknown[]) {
    const scheduler = followed();
    if (scheduler === undefined || this !== subtle || isPassing()) {
      return apply(real, this, args) as unknown;
    }
    const least = name === 'generateKey' ? LEAST_OF_KEY_PAIR : LEAST;
    if (scheduler.plainNode) return callReally(scheduler, least, () => real.apply(subtle, args));
    const outcome = answer(name, args);
    if (outcome === undefined) return apply(real, this, args) as unknown;
    if (name === 'generateKey') record(scheduler, 'crypto.subtle.generateKey', facade, false);
    return settleLater(scheduler, least, outcome);
  };
}

/** Undefined when the arguments are such that Web Crypto rejects them before it does anything. */
function answer(name: string, args: unknown[]): SubtleOutcome | undefined {
  const { callSubtle } = require('./subtle-call.js') as typeof import('./subtle-call.js');
  try {
    return passThrough(() => callSubtle(name, args));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

function settleLater(
  scheduler: Scheduler,
  least: number,
  outcome: SubtleOutcome,
): Promise<unknown> {
  const failure = 'error' in outcome ? errorOf(outcome.error) : undefined;
  return new pristine.Promise((resolve, reject) => {
    runInPool(scheduler, 'WEBCRYPTOREQUEST', least, () => {
      if ('value' in outcome) resolve(outcome.value);
      else reject(failure);
    });
  });
}

function errorOf(told: Extract<SubtleOutcome, { error: unknown }>['error']): Error {
  const { dom, name, message, code } = told;
  if (dom) return new DOMException(message, name);
  const error = name === 'TypeError' ? new TypeError(message) : new Error(message);
  return code === undefined ? error : Object.assign(error, { code });
}

function callReally(
  scheduler: Scheduler,
  least: number,
  call: () => Promise<unknown>,
): Promise<unknown> {
  return new pristine.Promise((resolve, reject) => {
    beginReally(scheduler, 'WEBCRYPTOREQUEST', least, () => subscribe(call(), resolve, reject));
  });
}
