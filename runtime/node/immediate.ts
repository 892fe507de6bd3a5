/**
 * The virtual `Immediate`: what `setImmediate` returns inside a simulation. It shows the surface of
 * Node's own class and is an instance of it.
 */

import type { ImmediateEvent } from '../kernel/event-loop.js';
import type { Scheduler } from '../tasks/scheduler.js';
import { pristine } from './pristine.js';
import { VirtualEvent } from './virtual-event.js';

const { apply } = Reflect;

type Callback = (...args: any[]) => unknown;

export class Immediate {
  _idleNext: null = null;
  _idlePrev: null = null;
  _onImmediate: Callback | null;
  _argv: unknown[] | undefined;
  _destroyed = false;
  readonly #event: VirtualEvent;
  readonly #queued: ImmediateEvent;
  #ref: boolean;

  constructor(scheduler: Scheduler, callback: Callback, args: unknown[] | undefined, ref: boolean) {
    this._onImmediate = callback;
    this._argv = args;
    this.#ref = ref;
    this.#event = new VirtualEvent(scheduler, scheduler.takeSite(), 'Immediate');
    this.#queued = scheduler.loop.immediate(() => this.#fire());
  }

  static isVirtual(value: unknown): value is Immediate {
    return typeof value === 'object' && value !== null && #event in value;
  }

  stop(): void {
    if (this._destroyed) return;
    this.#event.scheduler.loop.cancelImmediate(this.#queued);
    this._onImmediate = null;
    this.#end();
  }

  ref(): this {
    this.#ref = !this._destroyed;
    return this;
  }

  unref(): this {
    this.#ref = false;
    return this;
  }

  hasRef(): boolean {
    return this.#ref;
  }

  #fire(): void {
    const { scheduler, task } = this.#event;
    const pause = scheduler.pauseOf(task);
    if (pause > 0) {
      scheduler.loop.after(pause, () => this.#fire());
      return;
    }
    const callback = this._onImmediate;
    if (callback === null) return;
    const args = this._argv;
    this.#end();
    try {
      this.#event.run(() =>
        args === undefined ? this._onImmediate!() : apply(callback, this, args),
      );
    } finally {
      this._onImmediate = null;
    }
  }

  #end(): void {
    this._destroyed = true;
    this.#ref = false;
  }
}

/** Makes virtual immediates instances of Node's own class. */
export function installImmediateClass(): void {
  const real = pristine.setImmediate(() => {});
  pristine.clearImmediate(real);
  Object.setPrototypeOf(Immediate.prototype, Object.getPrototypeOf(real) as object);
  Object.defineProperty(Immediate.prototype, Symbol.dispose, {
    value(this: Immediate) {
      this.stop();
    },
    writable: true,
    configurable: true,
  });
}
