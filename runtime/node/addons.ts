/**
 * Native addons: what they do in threads of their own completes in the real world, at a time that
 * no seed decides. So a call that gives a promise rejects, and one whose callback has not come when
 * it returns is noted: what waits then is blocked on uncontrolled. What an addon does at once
 * passes.
 */

import { basename } from 'node:path';
import process from 'node:process';
import { patch } from './facade.js';
import { pristine, subscribe } from './pristine.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { simulated } from './simulated.js';
import { isPassing, record, uncontrolled } from './uncontrolled.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

export function installAddons(): void {
  patch(process, 'dlopen', 'process.dlopen', (real: AnyFunction) => {
    return function dlopen(this: unknown, module: NodeModule, file: string, ...rest: unknown[]) {
      const result = apply(real, this, [module, file, ...rest]) as unknown;
      module.exports = guarded(module.exports, basename(file));
      return result;
    };
  });
}

/** What an addon exports, with functions that are watched inside simulations. */
export function guarded(exports: unknown, name: string): unknown {
  if (typeof exports === 'function') return watched(exports as AnyFunction, name);
  if (typeof exports !== 'object' || exports === null) return exports;
  const copy = Object.create(Object.getPrototypeOf(exports) as object | null) as object;
  for (const key of Reflect.ownKeys(exports)) {
    const descriptor = Object.getOwnPropertyDescriptor(exports, key)!;
    const { value } = descriptor as { value: unknown };
    const call = `${name} ${String(key)}`;
    const shown = typeof value === 'function' ? watched(value as AnyFunction, call) : value;
    const own = 'value' in descriptor ? { ...descriptor, value: shown } : descriptor;
    Object.defineProperty(copy, key, own);
  }
  return copy;
}

/** It stays a constructor, with its own prototype and statics. */
function watched(real: AnyFunction, call: string): AnyFunction {
  const trap = (target: AnyFunction, self: unknown, args: unknown[]): unknown => {
    const scheduler = isPassing() ? undefined : simulated();
    if (scheduler === undefined) return apply(target, self, args) as unknown;
    const waiting = new Waiting(scheduler);
    const given = args.map((one) => (typeof one === 'function' ? waiting.callback(one) : one));
    const result = apply(target, self, given) as unknown;
    if (pristine.isPromise(result)) {
      subscribe(result, noop, noop);
      return pristine.Promise.reject(uncontrolled(scheduler, call, trap));
    }
    if (waiting.count > 0) record(scheduler, call, trap, true);
    return result;
  };
  return new Proxy(real, { apply: trap });
}

/**
 * The callbacks of one call. In a simulation what calls them is code of its own, now or later; what
 * comes after it comes from outside, and goes nowhere.
 */
class Waiting {
  count = 0;

  constructor(private readonly scheduler: Scheduler) {}

  callback(real: object): AnyFunction {
    const waiting = this as Waiting;
    let called = false;
    waiting.count++;
    return function (this: unknown, ...values: unknown[]): unknown {
      if (simulated() !== waiting.scheduler) return undefined;
      if (!called) waiting.count--;
      called = true;
      return apply(real as AnyFunction, this, values) as unknown;
    };
  }
}

function noop(): void {}
