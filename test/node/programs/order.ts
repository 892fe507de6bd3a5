/**
 * Small programs about order, whose output plain Node decides alone, run from a timer callback. The
 * virtual builtins must make them print the same.
 *
 * This file knows nothing of detsim: a child process runs it plainly (see ../order-child.ts).
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, on, once } from 'node:events';
import { Readable } from 'node:stream';
import timersPromises from 'node:timers/promises';
import util from 'node:util';
import { any, rejectionOf, soon, type Log, type Program } from './program.js';

/** Logs a count at every microtask, to show how many of them something else takes. */
function countMicrotasks(log: Log, count: number): void {
  let promise = Promise.resolve();
  for (let i = 1; i <= count; i++) promise = promise.then(() => log(i));
}

export const orderPrograms: Record<string, Program> = {
  'nextTick runs before microtasks'(log) {
    void Promise.resolve().then(() => log('micro'));
    process.nextTick(() => log('tick'));
    log('sync');
  },

  'a microtask queued in a microtask runs before a tick queued there'(log) {
    queueMicrotask(() => {
      process.nextTick(() => log('tick'));
      queueMicrotask(() => log('micro'));
    });
  },

  'all ticks run before the microtasks they queue'(log) {
    process.nextTick(() => {
      log('tick 1');
      queueMicrotask(() => log('micro'));
      process.nextTick(() => log('tick 3'));
    });
    process.nextTick(() => log('tick 2'));
  },

  'queueMicrotask and then share one queue'(log) {
    queueMicrotask(() => log(1));
    void Promise.resolve().then(() => log(2));
    queueMicrotask(() => log(3));
    void (async () => {
      await null;
      log(4);
    })();
    queueMicrotask(() => log(5));
  },

  'timers of one duration are first in, first out'(log) {
    for (const name of ['a', 'b', 'c']) setTimeout(() => log(name), 5);
  },

  'timers of different durations run by due time'(log) {
    for (const ms of [9, 3, 6, 1]) setTimeout(() => log(ms), ms);
  },

  'odd durations become one millisecond'(log) {
    for (const ms of [1, 0, undefined, null, 0.5, 1.9, '1', [], true]) {
      setTimeout(() => log(ms), any(ms));
    }
    setTimeout(() => log('two'), 2.7);
  },

  'invalid durations become one millisecond'(log) {
    for (const ms of [NaN, -5, 'abc', {}, 2 ** 31, Infinity]) {
      const timer: any = setTimeout(() => log(String(ms)), any(ms));
      log(timer._idleTimeout);
    }
    soon(log, 'later');
  },

  'the longest duration stays'(log) {
    const timer: any = setTimeout(() => log('never'), 2 ** 31 - 1);
    log(timer._idleTimeout);
    clearTimeout(timer);
  },

  'immediates are first in, first out, nested ones a turn later'(log) {
    setImmediate(() => {
      log('a');
      setImmediate(() => log('nested'));
    });
    setImmediate(() => log('b'));
  },

  'an immediate comes before a timeout from a timer callback'(log) {
    setTimeout(() => log('timeout'), 0);
    setImmediate(() => log('immediate'));
  },

  'ticks and microtasks run between timers, and between immediates'(log) {
    for (const name of ['a', 'b']) {
      const callback = (): void => {
        log(name);
        void Promise.resolve().then(() => log(`micro ${name}`));
        process.nextTick(() => log(`tick ${name}`));
      };
      setTimeout(callback, 2);
      setImmediate(callback);
    }
  },

  'a timer made in a timer callback goes to the end of its list'(log) {
    setTimeout(() => {
      log('a');
      setTimeout(() => log('nested'), 2);
    }, 2);
    setTimeout(() => log('b'), 2);
    soon(log, 'c');
  },

  'a timer stops another one of its list and of a later list'(log) {
    setTimeout(() => {
      log('first');
      clearTimeout(second);
      clearTimeout(third);
    }, 1);
    const second = setTimeout(() => log('second'), 1);
    const third = setTimeout(() => log('third'), 3);
    setTimeout(() => log('fourth'), 1);
  },

  'an immediate stops another one'(log) {
    setImmediate(() => {
      log('first');
      clearImmediate(second);
    });
    const second = setImmediate(() => log('second'));
    setImmediate(() => log('third'));
  },

  'a tick stops the next immediate'(log) {
    setImmediate(() => process.nextTick(() => clearImmediate(second)));
    const second = setImmediate(() => log('second'));
    setImmediate(() => log('third'));
  },

  'refresh starts anew'(log) {
    // Far apart, for a machine that is busy.
    const timer = setTimeout(() => log('refreshed'), 100);
    setTimeout(() => log(timer.refresh() === timer), 10);
    setTimeout(() => log('after'), 100);
  },

  'refresh of a fired timer fires it again, of a stopped one never'(log) {
    let fired = 0;
    const timer: NodeJS.Timeout = setTimeout(() => {
      log('fired', ++fired);
      if (fired < 3) timer.refresh();
    }, 1);
    const stopped = setTimeout(() => log('never'), 1);
    clearTimeout(stopped);
    stopped.refresh();
  },

  'refresh of a timer that fired long ago'(log) {
    const late = setTimeout(() => log('late'), 1);
    setTimeout(() => log(late.refresh() === late), 6);
  },

  'close, dispose and clear by id'(log) {
    log(setTimeout(() => log('never'), 1).close() instanceof Object);
    setTimeout(() => log('never'), 1)[Symbol.dispose]();
    setImmediate(() => log('never'))[Symbol.dispose]();
    const number = setTimeout(() => log('never'), 1);
    clearTimeout(+number);
    const text = setTimeout(() => log('never'), 1);
    clearTimeout(`${+text}`);
    const wrong = setTimeout(() => log('clearImmediate does not stop it'), 1);
    clearInterval(any(setInterval(() => log('never'), 1)));
    clearTimeout(any(setInterval(() => log('never'), 1)));
    log(typeof +wrong, +wrong === +wrong, `${any(wrong)}` === `${+wrong}`);
  },

  'an interval repeats until it is cleared'(log) {
    let count = 0;
    const interval = setInterval(
      (tag: string) => {
        log(tag, ++count);
        void Promise.resolve().then(() => log('micro'));
        if (count === 3) clearInterval(interval);
      },
      2,
      'tag',
    );
  },

  'an interval cleared from elsewhere'(log) {
    const interval = setInterval(() => {
      log('tick');
      setImmediate(() => clearInterval(interval));
    }, 2);
  },

  async 'timers/promises settle with their value'(log) {
    const first = timersPromises.setTimeout(3, 'promise').then(log);
    setTimeout(() => log('timer'), 3);
    log(await timersPromises.setImmediate('immediate'));
    await first;
    log(await timersPromises.setTimeout(), await util.promisify(setTimeout)(2, 'promisified'));
    log(await util.promisify(setImmediate)('promisified too'));
  },

  async 'timers/promises: microtasks until an abort is seen'(log) {
    const controller = new AbortController();
    const waiting = timersPromises.setTimeout(50, 0, { signal: controller.signal });
    const settled = rejectionOf(waiting).then(log);
    await timersPromises.setTimeout(2);
    countMicrotasks(log, 12);
    controller.abort(new Error('reason'));
    await settled;
  },

  async 'timers/promises: microtasks with a signal that is never aborted'(log) {
    const { signal } = new AbortController();
    const counting = {
      then(resolve: (value: string) => void) {
        countMicrotasks(log, 12);
        resolve('value');
      },
    };
    await timersPromises.setTimeout(2, counting, { signal }).then(log);
    await timersPromises.setTimeout(2, counting).then(log);
    await timersPromises.setImmediate(counting, { signal, ref: false }).then(log);
  },

  async 'timers/promises: aborted to begin with, and after the end'(log) {
    log(await rejectionOf(timersPromises.setTimeout(1, 0, { signal: AbortSignal.abort() })));
    log(await rejectionOf(timersPromises.setImmediate(0, { signal: AbortSignal.abort('x') })));
    const controller = new AbortController();
    log(await timersPromises.setTimeout(1, 'done', { signal: controller.signal }));
    controller.abort();
  },

  async 'timers/promises: an interval is iterated'(log) {
    let count = 0;
    for await (const value of timersPromises.setInterval(2, 'value')) {
      log(value, ++count);
      if (count === 3) break;
    }
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 7);
    try {
      for await (const _ of timersPromises.setInterval(100, 0, { signal: controller.signal })) {
        log('never');
      }
    } catch (error) {
      log((error as Error).name, ((error as Error).cause as Error).name);
    }
  },

  async 'timers/promises: scheduler'(log) {
    setImmediate(() => log('immediate'));
    await timersPromises.scheduler.yield();
    log('yielded');
    setTimeout(() => log('timer'), 2);
    await timersPromises.scheduler.wait(2);
    log('waited');
    const aborted = { signal: AbortSignal.abort() };
    log(await rejectionOf(timersPromises.scheduler.wait(1, aborted)));
  },

  async 'AbortSignal.timeout aborts like a timer'(log) {
    const signal = AbortSignal.timeout(3);
    signal.addEventListener('abort', (event) => log(event.type, event.isTrusted));
    soon(log, 'timer');
    await once(signal, 'abort');
    log(signal.aborted, signal.reason.name, signal.reason.message, signal.reason.code);
    log(signal.constructor.name, signal instanceof AbortSignal);
  },

  async 'AbortSignal.any'(log) {
    const signal = AbortSignal.any([AbortSignal.timeout(4), new AbortController().signal]);
    log(signal.aborted);
    await once(signal, 'abort');
    log(signal.reason.name);
  },

  async 'events.once and events.on'(log) {
    const emitter = new EventEmitter();
    for (const ms of [1, 2, 3]) setTimeout(() => emitter.emit('x', ms), ms);
    log(await once(emitter, 'x'));
    for await (const [value] of on(emitter, 'x')) {
      log(value);
      if (value === 3) break;
    }
  },

  'AsyncLocalStorage is kept'(log) {
    const storage = new AsyncLocalStorage<string>();
    const tell = (place: string) => () => log(place, storage.getStore());
    storage.run('store', () => {
      setTimeout(tell('timeout'), 1);
      setImmediate(tell('immediate'));
      process.nextTick(tell('tick'));
      queueMicrotask(tell('microtask'));
      void Promise.resolve().then(tell('then'));
      void timersPromises.setTimeout(2).then(tell('promise'));
      const interval = setInterval(() => {
        tell('interval')();
        clearInterval(interval);
      }, 3);
      AbortSignal.timeout(4).addEventListener('abort', tell('abort'));
    });
    setTimeout(tell('outside'), 1);
    setTimeout(() => storage.enterWith('entered'), 5);
    setTimeout(tell('not entered'), 5);
  },

  'AsyncLocalStorage: a refreshed timer'(log) {
    const storage = new AsyncLocalStorage<string>();
    const timer = storage.run('made', () => setTimeout(() => log(storage.getStore()), 1));
    setTimeout(() => storage.run('refreshed', () => timer.refresh()), 4);
  },

  async 'async generators and timers'(log) {
    async function* numbers(): AsyncGenerator<number> {
      for (let i = 0; i < 3; i++) {
        await timersPromises.setTimeout(1);
        yield i;
      }
    }
    for await (const n of numbers()) log(n);
  },

  'thenables, ticks and microtasks'(log) {
    const thenable = {
      then(resolve: (value: string) => void) {
        log('then');
        process.nextTick(() => log('tick'));
        resolve('thenable');
      },
    };
    void (async () => log(await (thenable as unknown as Promise<string>)))();
    countMicrotasks(log, 4);
  },

  'streams end in order'(log) {
    const stream = Readable.from(['a', 'b']);
    stream.on('data', (chunk: string) => log(chunk));
    stream.on('end', () => log('end'));
    stream.on('close', () => log('close'));
    setImmediate(() => log('immediate'));
    process.nextTick(() => log('tick'));
  },

  'a long chain of microtasks comes before any timer'(log) {
    let left = 2000;
    const step = (): void => {
      if (--left > 0) queueMicrotask(step);
      else log('chain');
    };
    setTimeout(() => log('timer'), 0);
    setImmediate(() => log('immediate'));
    step();
  },
};
