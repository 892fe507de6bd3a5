/**
 * What virtual timers are beyond plain Node’s: choices, tasks, errors, the way between two worlds.
 */

import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks';
import timersPromises from 'node:timers/promises';
import { expect } from 'chai';
import sinon from 'sinon';
import { Kind, noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { NODE, STUBS, type Rung } from '../../runtime/kernel/rung.js';
import { harness } from '../../runtime/node/harness.js';
import { active } from '../../runtime/tasks/scheduler.js';
import { at } from '../../runtime/tasks/hooks.js';
import { registerFile } from '../../runtime/tasks/sites.js';
import { simulate } from './simulate.js';

const stubs = registerFile('stub.ts', [['call', 7, 3, '', 'setTimeout']], true);
const source = registerFile('source.ts', [['call', 9, 5, '', 'setTimeout']], false);

/** Delays every choice of one kind by the same. */
const delaying = (kind: Kind, nanoseconds: number): Strategy => ({
  ...noDeviation,
  delay: (asked) => (asked.kind === kind ? nanoseconds : 0),
});

describe('virtual timers', () => {
  it('a timer of a stand-in can be late, another one cannot', () => {
    const firedAt = (rung: Rung): unknown[] =>
      simulate(
        (log) => {
          setTimeout(() => log('stub', performance.now() - 100), at(stubs, 5));
          setTimeout(() => log('source', performance.now() - 100), at(source, 6));
        },
        { rung, strategy: delaying(Kind.Timer, 20e6) },
      ).log;
    expect(firedAt(STUBS)).to.deep.equal(['source', 6, 'stub', 25]);
    expect(firedAt(NODE)).to.deep.equal(['stub', 5, 'source', 6]);
  });

  it('synchronous code before a timer can cost time, so that near-ties swap', () => {
    const order = (strategy: Strategy): unknown[] =>
      simulate(
        (log) => {
          setTimeout(() => log(5), at(source, 5));
          setTimeout(() => log(4), at(source, 4));
        },
        { rung: NODE, strategy },
      ).log;
    let created = 0;
    const second: Strategy = {
      ...noDeviation,
      delay: ({ kind, limit }) => (kind === Kind.Create && ++created === 2 ? limit : 0),
    };
    expect(order(noDeviation)).to.deep.equal([4, 5]);
    expect(order(second)).to.deep.equal([5, 4]);
  });

  it('a callback runs as a task of its own, below the one that asked for it', () => {
    const { log } = simulate((write) => {
      const tell = (): void => write(active.scheduler!.current.task.path());
      setTimeout(
        () => {
          tell();
          setImmediate(tell);
          process.nextTick(tell);
        },
        at(source, 1),
      );
      setTimeout(tell, at(source, 1));
    });
    expect(log).to.deep.equal(['call:9.1', 'call:9.1', 'call:9.2', 'call:9.1/unknown:0.1']);
  });

  it('what callbacks throw is reported, and the run goes on', () => {
    const { log, errors } = simulate((write) => {
      const fail = (name: string) => () => {
        write(name);
        throw new Error(name);
      };
      setTimeout(fail('timeout'), 1);
      setImmediate(fail('immediate'));
      process.nextTick(fail('tick'));
      queueMicrotask(fail('microtask'));
      const interval = setInterval(() => {
        if (Date.now() % 10 >= 4) clearInterval(interval);
        fail('interval')();
      }, 2);
      setTimeout(() => process.nextTick(fail('tick of timeout')), 2);
      setTimeout(() => write('end', executionAsyncId() > 0), 9);
    });
    // What a tick that throws has left waits for an immediate since Node 26.
    const rest = ['microtask', 'immediate'];
    if (Number.parseInt(process.versions.node) >= 26) rest.reverse();
    const names = ['tick', ...rest, 'timeout', 'interval', 'tick of timeout'];
    expect(log).to.deep.equal([...names, 'interval', 'end', true]);
    expect(errors.map((error) => (error as Error).message)).to.deep.equal([...names, 'interval']);
    expect(executionAsyncId()).to.be.greaterThan(0);
  });

  it('a timer of one world can be stopped from the other', () => {
    let fired = false;
    const real = setTimeout(() => (fired = true), 0);
    let virtual: NodeJS.Timeout;
    const { log } = simulate((write) => {
      clearTimeout(real);
      virtual = setTimeout(() => write('fired'), 5);
      setTimeout(() => clearTimeout(+virtual), 1);
    });
    expect(log).to.deep.equal([]);
    clearTimeout(virtual!);
    return new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() =>
      expect(fired).to.equal(false),
    );
  });

  it('ids of timers are the same in every run', () => {
    const ids = (): unknown[] =>
      simulate((log) => {
        for (let i = 0; i < 3; i++) log(+setTimeout(() => {}, 1));
      }).log;
    expect(ids()).to.deep.equal(ids());
  });

  it('a simulation that has ended leaves the real timers', async () => {
    const { scheduler } = simulate(() => {});
    active.scheduler = scheduler;
    try {
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(await timersPromises.setTimeout(1, 'real')).to.equal('real');
      expect(Date.now()).to.be.greaterThan(scheduler.loop.now + Date.UTC(2026, 1));
    } finally {
      active.scheduler = undefined;
    }
  });

  it('sinon’s fake timers work inside, and leave the virtual ones behind', () => {
    const { log, errors } = simulate(async (write) => {
      const clock = sinon.useFakeTimers({ now: 5000 });
      setTimeout(() => write('fake', Date.now()), 1000);
      clock.tick(1000);
      await clock.tickAsync(10);
      clock.restore();
      const before = performance.now();
      setTimeout(() => write('virtual', performance.now() - before), 1000);
      write('restored');
    });
    expect(errors).to.deep.equal([]);
    expect(log).to.deep.equal(['fake', 6000, 'restored', 'virtual', 1000]);
  });

  it('the turn of the test runner keeps the async context and is in the frame of the scope', () => {
    const storage = new AsyncLocalStorage<string>();
    const { log, scheduler } = simulate((write, running) => {
      setTimeout(() => {
        storage.enterWith('hook');
        harness.setImmediate(() => {
          write(storage.getStore(), running.current === running.scope);
        });
      }, 1);
    });
    expect(log).to.deep.equal(['hook', true]);
    expect(scheduler.loop.choices).to.equal(2);
  });

  it('weak references hold inside, and registries never call back', function () {
    const { log } = simulate((write) => {
      const reference = new WeakRef({ kept: true });
      new FinalizationRegistry(() => write('collected')).register({}, 1);
      const pressure: unknown[] = [];
      for (let i = 0; i < 20; i++) pressure.push(new Array(10_000).fill(i));
      setTimeout(() => write(reference.deref()), 1);
    });
    expect(log).to.deep.equal([{ kept: true }]);
  });
});
