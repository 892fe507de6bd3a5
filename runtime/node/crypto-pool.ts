/**
 * What `node:crypto` does in the thread pool: the synchronous twin of a function computes at once,
 * and the callback comes when its turn in the pool is over.
 *
 * Whether an error is thrown or called back only Node knows: when the twin throws, the real
 * function is called with the same arguments, and throws as well or else would call back.
 */

import crypto from 'node:crypto';
import type { Scheduler } from '../tasks/scheduler.js';
import { patch } from './facade.js';
import { currentHost } from './host.js';
import { beginReally } from './plain-operation.js';
import { followed } from './simulated.js';
import { ThreadPool } from './thread-pool.js';
import { isPassing, record } from './uncontrolled.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

/** A function with a callback, as async_hooks call it and in how many nanoseconds it is done. */
interface Pooled {
  readonly type: string;
  readonly least: (args: unknown[]) => number;
  /** Whether it draws on chance that the seed does not decide. */
  readonly draws?: boolean;
}

const SHORT = (): number => 50_000;

/** Functions that have a twin with `Sync` at the end of the name. */
const TWINS: Record<string, Pooled> = {
  pbkdf2: { type: 'PBKDF2REQUEST', least: ([, , iterations]) => 300 * (iterations as number) },
  scrypt: { type: 'SCRYPTREQUEST', least: () => 50e6 },
  argon2: { type: 'ARGON2REQUEST', least: () => 50e6 },
  hkdf: { type: 'HKDFREQUEST', least: SHORT },
  generateKeyPair: {
    type: 'KEYPAIRGENREQUEST',
    least: ([type]) => (String(type).startsWith('rsa') ? 60e6 : 100_000),
    draws: true,
  },
  generateKey: { type: 'KEYGENREQUEST', least: SHORT, draws: true },
  generatePrime: { type: 'RANDOMPRIMEREQUEST', least: () => 5e6, draws: true },
  checkPrime: { type: 'CHECKPRIMEREQUEST', least: SHORT },
};

/** Functions that work in the pool when they are given a callback, and at once when not. */
const OPTIONAL: Record<string, Pooled> = {
  sign: { type: 'SIGNREQUEST', least: SHORT },
  verify: { type: 'SIGNREQUEST', least: SHORT },
  diffieHellman: { type: 'DERIVEBITSREQUEST', least: SHORT },
  encapsulate: { type: 'KEMENCAPSULATEREQUEST', least: SHORT, draws: true },
  decapsulate: { type: 'KEMDECAPSULATEREQUEST', least: SHORT },
};

export function installCryptoPool(): void {
  const all = crypto as unknown as Record<string, AnyFunction | undefined>;
  for (const [name, pooled] of Object.entries(TWINS)) {
    const twin = all[`${name}Sync`];
    if (twin !== undefined) patch(crypto, name, `crypto.${name}`, pool(name, pooled, twin));
  }
  for (const [name, pooled] of Object.entries(OPTIONAL)) {
    const twin = all[name];
    if (twin !== undefined) patch(crypto, name, `crypto.${name}`, pool(name, pooled, twin));
  }
}

function pool(name: string, pooled: Pooled, twin: AnyFunction) {
  return (real: AnyFunction): AnyFunction =>
    function facade(this: unknown, ...args: unknown[]) {
      const scheduler = followed();
      const at = args.findLastIndex((arg) => typeof arg === 'function');
      if (scheduler === undefined || at < 0 || isPassing()) {
        return apply(real, this, args) as unknown;
      }
      const asked = args.slice(0, at);
      const callback = args[at] as AnyFunction;
      if (scheduler.plainNode) {
        beginReally(scheduler, pooled.type, pooled.least(asked), (event) => {
          real(...asked, (...results: unknown[]) =>
            event.run(() => callback(...results) as unknown),
          );
        });
        return undefined;
      }
      const results = compute(real, twin, asked);
      if (pooled.draws === true) record(scheduler, `crypto.${name}`, facade, false);
      runInPool(scheduler, pooled.type, pooled.least(asked), () => callback(...results) as unknown);
      return undefined;
    };
}

/** What the callback is called with. */
function compute(real: AnyFunction, twin: AnyFunction, asked: unknown[]): unknown[] {
  try {
    const result = twin(...asked) as unknown;
    const pair = result as { publicKey?: unknown; privateKey?: unknown } | undefined;
    if (pair?.publicKey !== undefined && pair.privateKey !== undefined) {
      return [null, pair.publicKey, pair.privateKey];
    }
    return [null, result];
  } catch (error) {
    real(...asked, () => {});
    return [error];
  }
}

/** Runs `complete` when the pool of the current host has had its time for it. */
export function runInPool(
  scheduler: Scheduler,
  type: string,
  least: number,
  complete: () => void,
): void {
  currentHost(scheduler).part(ThreadPool).run(scheduler, type, least, complete);
}
