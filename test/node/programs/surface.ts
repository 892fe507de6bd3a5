/**
 * Small programs about what a caller sees besides order: arguments, errors, receivers, shapes.
 *
 * This file knows nothing of detsim: a child process runs it plainly (see ../order-child.ts).
 */

import crypto from 'node:crypto';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import util from 'node:util';
import { any, errorOf, rejectionOf, soon, type Program } from './program.js';

export const surfacePrograms: Record<string, Program> = {
  'arguments of nextTick'(log) {
    process.nextTick((...args: unknown[]) => log(args), 1, 'two', [3]);
  },

  'a duration is coerced once'(log) {
    let reads = 0;
    setTimeout(() => log('fired', reads), any({ valueOf: () => (reads++, 2) }));
    log(errorOf(() => setTimeout(() => {}, any(Symbol('ms')))));
    log(errorOf(() => setTimeout(() => {}, any(5n))));
  },

  'clearing nonsense does nothing'(log) {
    for (const value of [undefined, null, NaN, -1, 'x', {}, true]) {
      log(clearTimeout(any(value)), clearInterval(any(value)));
    }
    log(clearImmediate(any(undefined)), clearImmediate(any(null)));
  },

  'ref, unref and hasRef'(log) {
    const timer = setTimeout(() => log('unref’d, but others are pending'), 2);
    log(timer.hasRef(), timer.unref() === timer, timer.hasRef(), timer.ref().hasRef());
    timer.unref();
    const immediate = setImmediate(() => log('immediate'));
    log(immediate.hasRef(), immediate.unref() === immediate, immediate.hasRef());
    immediate.ref();
    soon(log, 'others');
  },

  'arguments and receivers of callbacks'(log) {
    const timer: any = setTimeout(
      function (this: unknown, ...args: unknown[]) {
        log('timeout', this === timer, args);
      },
      1,
      1,
      2,
      3,
      4,
    );
    const immediate: any = setImmediate(
      function (this: unknown, ...args: unknown[]) {
        log('immediate', this === immediate, args);
      },
      1,
      2,
    );
    process.nextTick(function (this: unknown) {
      log('tick', this === undefined || this === null || typeof this);
    });
  },

  'what timers look like'(log) {
    const timer: any = any(setTimeout)(() => {}, 2, 'x');
    const immediate: any = setImmediate(() => {});
    log(timer.constructor.name, Object.keys(timer), timer._repeat, timer._destroyed);
    log(immediate.constructor.name, Object.keys(immediate), immediate._destroyed);
    clearTimeout(timer);
    clearImmediate(immediate);
    log(timer._destroyed, timer._idleTimeout, timer._onTimeout, immediate._destroyed);
    log(setTimeout.name, setTimeout.length, setInterval.length, setImmediate.length);
    log(timers.setTimeout === setTimeout, timers.clearInterval === clearInterval);
    log(util.inspect(setTimeout), timers.promises === timersPromises);
  },

  'invalid arguments of timers and queues'(log) {
    log(errorOf(() => setTimeout(any('code'), 1)));
    log(errorOf(() => setInterval(any(undefined), 1)));
    log(errorOf(() => setImmediate(any(null))));
    log(errorOf(() => process.nextTick(any(1))));
    log(errorOf(() => queueMicrotask(any({}))));
    log(errorOf(() => AbortSignal.timeout(-1)));
    log(errorOf(() => AbortSignal.timeout(any('1'))));
    log(errorOf(() => AbortSignal.timeout(1.5)));
    log(errorOf(() => process.hrtime(any(1))));
    log(errorOf(() => process.hrtime(any([1]))));
    log(errorOf(() => any(performance.now).call({})));
    log(errorOf(() => any(timersPromises.scheduler.wait).call({}, 1)));
    log(errorOf(() => process.cpuUsage(any(1))));
  },

  async 'invalid arguments of timers/promises'(log) {
    log(await rejectionOf(timersPromises.setTimeout(any('1'))));
    log(await rejectionOf(timersPromises.setTimeout(1, 2, any(null))));
    log(await rejectionOf(timersPromises.setTimeout(1, 2, any([]))));
    log(await rejectionOf(timersPromises.setTimeout(1, 2, { ref: any(1) })));
    log(await rejectionOf(timersPromises.setTimeout(1, 2, { signal: any({}) })));
    log(await rejectionOf(timersPromises.setImmediate(1, any(2))));
    log(await rejectionOf(any(timersPromises.setInterval(any('1'))).next()));
  },

  async 'invalid arguments of random functions'(log) {
    log(errorOf(() => crypto.randomInt(0)));
    log(errorOf(() => crypto.randomInt(5, 5)));
    log(errorOf(() => crypto.randomInt(any('a'))));
    log(errorOf(() => crypto.randomInt(2 ** 50)));
    log(errorOf(() => any(crypto.randomInt)(1, 5, 'callback')));
    log(errorOf(() => crypto.randomBytes(-1)));
    log(errorOf(() => crypto.randomBytes(any('1'))));
    log(errorOf(() => any(crypto.randomBytes)(1, 'callback')));
    log(errorOf(() => crypto.randomFillSync(any({}))));
    log(errorOf(() => crypto.randomFillSync(Buffer.alloc(2), 3)));
    log(errorOf(() => any(crypto.randomFill)(Buffer.alloc(2))));
    log(errorOf(() => any(crypto.randomFill)({}, () => {})));
    log(errorOf(() => crypto.randomUUID(any(1))));
    log(errorOf(() => globalThis.crypto.getRandomValues(any(new Float32Array(1)))));
    log(errorOf(() => globalThis.crypto.getRandomValues(new Uint8Array(70_000)).length));
  },

  'shapes of random values'(log) {
    log(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(
        crypto.randomUUID(),
      ),
    );
    log(crypto.randomBytes(7).length, crypto.randomBytes(0).length, crypto.randomInt(5, 6));
    const words = new Uint32Array(4);
    log(globalThis.crypto.getRandomValues(words) === words, crypto.randomFillSync(words) === words);
    const part = Buffer.alloc(6);
    crypto.randomFillSync(part, 2, 2);
    log(part[0], part[1], part[4], part[5]);
    crypto.randomBytes(4, (error, bytes) => log(error, bytes.length));
  },

  async 'random functions with a callback'(log) {
    await new Promise<void>((resolve) => {
      crypto.randomFill(Buffer.alloc(4), 1, 2, (error, buffer) => {
        log(error, buffer.length, buffer[0], buffer[3]);
        resolve();
      });
    });
    const randomInt = util.promisify(crypto.randomInt) as (min: number, max: number) => unknown;
    log(await randomInt(3, 4), (await util.promisify(crypto.randomBytes)(5)).length);
  },

  'dates are dates'(log) {
    class Derived extends Date {
      get early(): boolean {
        return this.getTime() < 10;
      }
    }
    log(typeof Date(), new Date(5).getTime(), new Date('2020-01-01').toISOString());
    log(new Date(2020, 1, 2, 3, 4, 5, 6).getMilliseconds(), Date.UTC(2020, 0), Date.parse('1970'));
    log(new Derived(5).early, new Derived() instanceof Derived, new Derived() instanceof Date);
    log(Date.length, Date.name, String(Date), Date.prototype.constructor === Date);
    log(structuredClone(new Date(5)) instanceof Date, util.types.isDate(new Date()));
    log(new Date(undefined as any).getTime(), new Date(any(null)).getTime(), typeof Date.now());
    log(Object.getOwnPropertyNames(Date.prototype).length, Date.now.name, Date.now.length);
    log(Reflect.construct(Date, [7], Derived) instanceof Derived, typeof any(Date).call({}));
    log(new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format(0));
  },

  'weak references'(log) {
    const target = {};
    log(new WeakRef(target).deref() === target, WeakRef.name, WeakRef.length);
    log(
      errorOf(() => new WeakRef(any(1))),
      errorOf(() => any(WeakRef)(target)),
    );
    log(errorOf(() => new FinalizationRegistry(any(1))));
    const registry = new FinalizationRegistry(() => {});
    log(registry.register(target, 1, target), registry.unregister(target), String(WeakRef));
    log(new WeakRef(target) instanceof WeakRef, new WeakRef(target).constructor === WeakRef);
  },

  'time goes on'(log) {
    const started = [Date.now(), performance.now(), process.uptime()];
    const [seconds, nanoseconds] = process.hrtime();
    const bigint = process.hrtime.bigint();
    setTimeout(() => {
      log(Date.now() - started[0] >= 4, performance.now() - started[1] >= 4);
      log(process.uptime() > started[2], process.hrtime.bigint() - bigint >= 4_000_000n);
      const [s, ns] = process.hrtime([seconds, nanoseconds]);
      log(s, ns >= 4e6, ns < 1e9);
      const mark = performance.mark('program-mark');
      const measure = performance.measure('program-measure', 'program-mark');
      log(
        mark.startTime >= started[1] + 4,
        measure.duration >= 0,
        measure.startTime === mark.startTime,
      );
      performance.clearMarks('program-mark');
      performance.clearMeasures('program-measure');
    }, 5);
  },
};
