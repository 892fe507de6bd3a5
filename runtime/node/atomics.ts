/**
 * `Atomics.waitAsync` and `Atomics.notify` among the tasks of a simulation: waiters of one cell are
 * woken in the order in which they came, and a time limit is virtual. No other thread can notify.
 */

import type { Scheduler } from '../tasks/scheduler.js';
import { patch } from './facade.js';
import { pristine } from './pristine.js';
import { simulated } from './simulated.js';
import { Timeout } from './timeout.js';

const { apply } = Reflect;

type Cells = Int32Array | BigInt64Array;
type Ending = 'ok' | 'timed-out';
type Answer =
  | { readonly async: false; readonly value: 'not-equal' | 'timed-out' }
  | { readonly async: true; readonly value: Promise<Ending> };

interface Waiter {
  readonly buffer: ArrayBufferLike;
  readonly address: number;
  readonly wake: (ending: Ending) => void;
}

const waiting = new WeakMap<Scheduler, Waiter[]>();

export function installAtomics(): void {
  patch(Atomics, 'waitAsync', 'Atomics.waitAsync', (real: (...args: unknown[]) => Answer) => {
    return function (this: unknown, ...args: unknown[]): Answer {
      const scheduler = simulated();
      const [cells, index] = args as [Cells, number];
      if (scheduler === undefined || !isCell(cells, index)) return apply(real, this, args);
      const [, , value, limit] = args as [Cells, number, number | bigint, number | undefined];
      return waitAsync(scheduler, cells, index, value, limit);
    };
  });
  patch(Atomics, 'notify', 'Atomics.notify', (real: (...args: unknown[]) => number) => {
    return function (this: unknown, ...args: unknown[]): number {
      const scheduler = simulated();
      const [cells, index, count] = args as [Cells, number, number | undefined];
      const woken =
        scheduler === undefined || !isCell(cells, index)
          ? 0
          : notify(scheduler, cells, index, count ?? Infinity);
      return woken + apply(real, this, args);
    };
  });
}

/** Whether there is such a cell; what is no cell is left to the real function to complain about. */
function isCell(cells: Cells, index: number): boolean {
  const shared = ArrayBuffer.isView(cells) && cells.buffer instanceof SharedArrayBuffer;
  return shared && Number.isInteger(index) && index >= 0 && index < cells.length;
}

function waitAsync(
  scheduler: Scheduler,
  cells: Cells,
  index: number,
  value: number | bigint,
  limit = Infinity,
): Answer {
  const expected = typeof value === 'number' ? value | 0 : value;
  if (Atomics.load(cells as Int32Array, index) !== expected) {
    return { async: false, value: 'not-equal' };
  }
  if (limit <= 0) return { async: false, value: 'timed-out' };
  const waiters = waiting.get(scheduler) ?? [];
  waiting.set(scheduler, waiters);
  const ended = new pristine.Promise<Ending>((resolve) => {
    const wake = (ending: Ending): void => {
      waiters.splice(waiters.indexOf(waiter), 1);
      timer?.close();
      resolve(ending);
    };
    const waiter: Waiter = { buffer: cells.buffer, address: addressOf(cells, index), wake };
    const options = { repeat: false, ref: true };
    const timer =
      limit === Infinity
        ? undefined
        : new Timeout(scheduler, () => wake('timed-out'), limit, undefined, options);
    waiters.push(waiter);
  });
  return { async: true, value: ended };
}

/** @returns how many waiters were woken */
function notify(scheduler: Scheduler, cells: Cells, index: number, count: number): number {
  const address = addressOf(cells, index);
  const woken = (waiting.get(scheduler) ?? [])
    .filter((one) => one.buffer === cells.buffer && one.address === address)
    .slice(0, Math.max(0, count));
  for (const waiter of woken) waiter.wake('ok');
  return woken.length;
}

function addressOf(cells: Cells, index: number): number {
  return cells.byteOffset + index * cells.BYTES_PER_ELEMENT;
}
