/** Promises, tasks and Node's own timers inside a scenario. */

import { expect } from 'chai';
import { millisecond, second, Sim } from '../../index.js';
import { pristine } from '../../runtime/node/pristine.js';

describe('Sim: promises', () => {
  it('what an event has promised is done before the next event', () => {
    const sim = new Sim();
    const log: string[] = [];
    let resolve = (): void => {};
    const early = new Promise<void>((r) => (resolve = r));
    void early.then(() => log.push('reaction to a promise made before the run'));
    sim.after(1, () => {
      log.push('1');
      resolve();
    });
    sim.after(1, () => {
      log.push('2');
      queueMicrotask(() => log.push('microtask'));
      process.nextTick(() => log.push('tick'));
    });
    sim.after(1, () => {
      log.push('3');
      void (async () => {
        await null;
        await null;
        log.push('async function');
      })();
    });
    sim.after(1, () => log.push('4'));
    sim.run();
    expect(log).to.deep.equal([
      '1',
      'reaction to a promise made before the run',
      '2',
      'tick',
      'microtask',
      '3',
      'async function',
      '4',
    ]);
  });

  it('what was promised before the run is done at its beginning', () => {
    const sim = new Sim();
    const log: number[] = [];
    void Promise.resolve().then(() => sim.after(5, () => log.push(sim.now)));
    sim.run();
    expect(log).to.deep.equal([5]);
  });

  it('timers and clocks of the program are those of the simulation', () => {
    const sim = new Sim();
    const log: unknown[] = [];
    sim.after(second, () => {
      const started = Date.now();
      setTimeout(() => log.push(['timeout', Date.now() - started, sim.now]), 20);
      setImmediate(() => log.push(['immediate', Date.now() - started, sim.now]));
    });
    sim.after(second + 30 * millisecond, () => log.push('event'));
    const before = Date.now();
    sim.run();
    expect(log).to.deep.equal([
      ['immediate', 0, second],
      ['timeout', 20, second + 20 * millisecond],
      'event',
    ]);
    expect(Math.abs(Date.now() - before)).to.be.below(60_000);
  });

  it('an unhandled rejection ends the run', () => {
    const sim = new Sim({ seed: 4 });
    sim.after(7, () => void Promise.reject(new Error('nobody cares')));
    const fails = (): unknown => sim.run();
    expect(fails)
      .to.throw('nobody cares')
      .with.nested.property(
        'cause.message',
        'thrown in the simulation at seed 4, step 1, virtual time 7 ns',
      );
  });

  it('an error in a microtask ends the run', () => {
    const sim = new Sim();
    sim.after(1, () =>
      queueMicrotask(() => {
        throw new Error('in a microtask');
      }),
    );
    expect(() => sim.run()).to.throw('in a microtask');
  });

  it('plain callbacks run anywhere; promises need runAsync after an await', async () => {
    await null;
    const plain = new Sim();
    const log: string[] = [];
    plain.after(1, () => log.push('plain'));
    plain.run();

    const sim = new Sim();
    sim.after(1, () => void Promise.resolve().then(() => log.push('run by Node in the end')));
    expect(() => sim.run()).to.throw(/async continuation.*use `await sim.runAsync\(\)`/);
    const again = new Sim();
    again.after(1, () => void Promise.resolve().then(() => log.push('promised')));
    expect(await again.runAsync()).to.equal(1);
    expect(log).to.deep.equal(['plain', 'run by Node in the end', 'promised']);
  });

  it('runAsync rejects with what ends the run', async () => {
    const sim = new Sim();
    sim.after(1, () => {
      throw new Error('boom');
    });
    const error = await sim.runAsync().then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).to.equal('boom');
  });

  it('a run of plain callbacks does not drain, and one with promises does', () => {
    const log: string[] = [];
    // Nobody is told of this microtask: only a drain for another reason can run it.
    const unnoticed = (name: string): void => pristine.queueMicrotask(() => log.push(name));
    const plain = new Sim();
    plain.after(1, () => unnoticed('plain'));
    plain.after(2, () => {});
    plain.run();
    expect(log).to.deep.equal([]);

    const sim = new Sim();
    sim.after(1, () => void Promise.resolve());
    sim.after(2, () => unnoticed('with promises'));
    sim.run();
    expect(log).to.deep.equal(['plain', 'with promises']);
  });
});
