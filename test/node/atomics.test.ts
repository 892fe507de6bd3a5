/** `Atomics.waitAsync` in a simulation. */

import { expect } from 'chai';
import { simulate } from './simulate.js';

/** TypeScript knows it from ES2024 on. */
interface WaitAsync {
  waitAsync(
    cells: Int32Array,
    index: number,
    value: number,
    timeout?: number,
  ): { async: boolean; value: string | Promise<string> };
}
const cells = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));
const wait = (...args: Parameters<WaitAsync['waitAsync']>): ReturnType<WaitAsync['waitAsync']> =>
  (Atomics as unknown as WaitAsync).waitAsync(...args);

describe('Atomics.waitAsync', () => {
  it('waiters of one cell are woken in order, as many as are asked for', () => {
    const { log, errors, scheduler } = simulate(async (write) => {
      const lock = cells();
      const waiters = ['a', 'b', 'c'].map(async (name) => {
        write(name, await wait(lock, 0, 0).value);
      });
      const other = wait(lock, 1, 0, 5).value;
      write(Atomics.notify(lock, 0, 2), Atomics.notify(lock, 0), Atomics.notify(lock, 0));
      await Promise.all(waiters);
      write(await other);
    });
    expect(errors).to.deep.equal([]);
    expect(log).to.deep.equal([2, 1, 0, 'a', 'ok', 'b', 'ok', 'c', 'ok', 'timed-out']);
    expect(scheduler.uncontrolled.size).to.equal(0);
  });

  it('a time limit is virtual, and other values do not wait', () => {
    const { log } = simulate(async (write) => {
      const lock = cells();
      const start = Date.now();
      write(wait(lock, 0, 1).value, wait(lock, 0, 0, 0).value);
      write(await wait(lock, 0, 0, 60_000).value, Date.now() - start);
    });
    expect(log).to.deep.equal(['not-equal', 'timed-out', 'timed-out', 60_000]);
  });

  it('outside a simulation it is the real one', async () => {
    const lock = cells();
    const { value } = wait(lock, 0, 0);
    expect(Atomics.notify(lock, 0)).to.equal(1);
    expect(await value).to.equal('ok');
    expect(() => wait(new Int32Array(2), 0, 0)).to.throw(TypeError);
  });
});
