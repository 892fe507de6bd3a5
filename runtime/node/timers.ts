/**
 * `setTimeout`, `setInterval`, `setImmediate` and what clears them.
 *
 * Which world a timer belongs to is decided where it is made; whoever clears it later reaches the
 * right one from anywhere. Invalid arguments are left to Node, which raises its own errors.
 */

import timers from 'node:timers';
import { patch } from './facade.js';
import { Immediate, installImmediateClass } from './immediate.js';
import { followed, simulated } from './simulated.js';
import { stateOf } from './state.js';
import { arm, installTimeoutClass, Timeout, type TimeoutOptions } from './timeout.js';
import { VirtualEvent } from './virtual-event.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

const ONCE: TimeoutOptions = { repeat: false, ref: true };
const REPEATED: TimeoutOptions = { repeat: true, ref: true };

export function installTimers(): void {
  installTimeoutClass();
  installImmediateClass();
  for (const [target, place] of [
    [globalThis, 'globalThis'],
    [timers, 'timers'],
  ] as const) {
    patch(target, 'setTimeout', `${place}.setTimeout`, (real) => startWith(real, ONCE));
    patch(target, 'setInterval', `${place}.setInterval`, (real) => startWith(real, REPEATED));
    patch(target, 'setImmediate', `${place}.setImmediate`, immediateWith);
    patch(target, 'clearTimeout', `${place}.clearTimeout`, clearWith);
    patch(target, 'clearInterval', `${place}.clearInterval`, clearWith);
    patch(target, 'clearImmediate', `${place}.clearImmediate`, clearImmediateWith);
  }
}

function startWith(real: AnyFunction, options: TimeoutOptions): AnyFunction {
  return function (this: unknown, callback: AnyFunction, after?: unknown, ...args: unknown[]) {
    const scheduler = followed();
    if (scheduler === undefined || typeof callback !== 'function') {
      return apply(real, this, [callback, after, ...args]) as unknown;
    }
    if (scheduler.plainNode) {
      const event = new VirtualEvent(scheduler, scheduler.takeSite(), 'Timeout');
      return apply(real, this, [following(event, callback), arm(event, after), ...args]) as unknown;
    }
    return new Timeout(scheduler, callback, after, args.length === 0 ? undefined : args, options);
  };
}

function immediateWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, callback: AnyFunction, ...args: unknown[]) {
    const scheduler = followed();
    if (scheduler === undefined || typeof callback !== 'function') {
      return apply(real, this, [callback, ...args]) as unknown;
    }
    if (scheduler.plainNode) {
      const event = new VirtualEvent(scheduler, scheduler.takeSite(), 'Immediate');
      return apply(real, this, [following(event, callback), ...args]) as unknown;
    }
    return new Immediate(scheduler, callback, args.length === 0 ? undefined : args, true);
  };
}

/** The callback of a real timer, run as the first frame of its task. */
function following(event: VirtualEvent, callback: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    event.run(() => apply(callback, this, args) as unknown);
  };
}

function clearWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, timer: unknown) {
    if (Timeout.isVirtual(timer)) return timer.stop();
    const scheduler = simulated();
    if (scheduler !== undefined && (typeof timer === 'number' || typeof timer === 'string')) {
      const known = stateOf(scheduler).timer(timer);
      if (known !== undefined) return known.stop();
    }
    return apply(real, this, [timer]) as unknown;
  };
}

function clearImmediateWith(real: AnyFunction): AnyFunction {
  return function (this: unknown, immediate: unknown) {
    if (Immediate.isVirtual(immediate)) return immediate.stop();
    return apply(real, this, [immediate]) as unknown;
  };
}
