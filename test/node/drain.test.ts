/**
 * Draining microtasks and ticks synchronously: where it works, and in which order it runs them.
 */

import { expect } from 'chai';
import {
  canDrain,
  checkpointDrainer,
  drain,
  tickCallbackDrainer,
} from '../../runtime/node/drain.js';
import type { Drainer } from '../../runtime/node/drain.js';

describe('drain', () => {
  it('works in a macrotask, and not in a promise job', async () => {
    const inMacrotask = await new Promise((resolve) => setImmediate(() => resolve(canDrain())));
    expect(inMacrotask).to.equal(true);
    await null;
    expect(canDrain()).to.equal(false);
    const inTick = await new Promise((resolve) => process.nextTick(() => resolve(canDrain())));
    expect(inTick).to.equal(true);
  });

  it('runs microtasks and ticks to the end', (done) => {
    setImmediate(() => {
      let left = 100;
      const step = (): void => {
        if (--left > 0) void Promise.resolve().then(() => process.nextTick(step));
      };
      step();
      drain();
      done(left === 0 ? undefined : new Error(`${left} steps are left`));
    });
  });

  const drainers: [string, Drainer][] = [
    ['process._tickCallback', tickCallbackDrainer()!],
    ['the checkpoint of the engine', checkpointDrainer()],
  ];
  for (const [name, drainer] of drainers) {
    it(`${name}: all ticks, then all microtasks, again and again`, (done) => {
      const nextTick = drainer.nextTick ?? ((run) => process.nextTick(run));
      setImmediate(() => {
        const log: string[] = [];
        nextTick(() => {
          log.push('tick 1');
          void Promise.resolve().then(() => {
            log.push('micro 1');
            nextTick(() => log.push('tick 3'));
          });
        });
        nextTick(() => log.push('tick 2'));
        drainer.drain();
        const first = [...log];
        void Promise.resolve().then(() => log.push('micro 2'));
        drainer.drain();
        try {
          expect(first).to.deep.equal(['tick 1', 'tick 2', 'micro 1', 'tick 3']);
          expect(log.at(-1)).to.equal('micro 2');
          done();
        } catch (error) {
          done(error);
        }
      });
    });
  }
});
