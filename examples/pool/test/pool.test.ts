/** The pool of workers: no job is lost or done twice, and its orders are really different ones. */

import { expect } from 'chai';
import { Channel, DeadlockError, explore, Sim } from 'detsim';
import { lowdiversity } from '../lowdiversity.js';
import { JOBS, modes, problemOf, runPool } from '../modes.js';
import type { Result } from '../workerpool.js';

/** A simulation runs promises to their end, which works from a macrotask only. */
function inMacrotask(body: () => void): () => Promise<void> {
  return () =>
    new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          body();
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
    });
}

const runSeed = (seed: number) => {
  const sim = new Sim({ seed });
  return { order: runPool(sim), shape: sim.shape };
};

describe('the worker pool', () => {
  it(
    'does every job once in 500 seeds, in orders that differ',
    inMacrotask(() => {
      const orders = new Set<string>();
      for (let seed = 0; seed < 500; seed++) orders.add(runSeed(seed).order);
      expect(orders.size).to.be.greaterThan(250);
    }),
  );

  it(
    'gives the same order for the same seed',
    inMacrotask(() => {
      for (const seed of [0, 1, 7]) expect(runSeed(seed)).to.deep.equal(runSeed(seed));
    }),
  );

  it('is known to be wrong when it is', () => {
    const results: Result[] = Array.from({ length: JOBS }, (_, job) => ({
      job,
      square: job * job,
    }));
    expect(problemOf(results, JOBS)).to.equal(undefined);
    expect(problemOf(results.slice(1), JOBS)).to.match(/^LOST OR TWICE: job 0/);
    expect(problemOf([...results, results[0]], JOBS)).to.match(/^LOST OR TWICE: job 1/);
    expect(problemOf([...results.slice(1), { job: 0, square: 1 }], JOBS)).to.match(/^WRONG: 1/);
  });

  it(
    'that is small is explored until new orders stop appearing',
    inMacrotask(() => {
      const report = explore((sim) => runPool(sim, 2, 1));
      expect(report).to.include({ stopped: 'dry', outcomes: 1 });
      expect(report.failures).to.deep.equal([]);
      expect(explore((sim) => runPool(sim, 2, 1))).to.deep.equal(report);
    }),
  );

  it(
    'gives its results in every order that there is',
    inMacrotask(() => {
      const orders = new Set<string>();
      const note = (order: string) => (orders.add(order), order);
      explore((sim) => note(runPool(sim, 3, 3)), { trials: 2000 });
      expect([...orders].sort()).to.deep.equal([
        '0 1 2',
        '0 2 1',
        '1 0 2',
        '1 2 0',
        '2 0 1',
        '2 1 0',
      ]);
    }),
  ).timeout(30_000);

  it(
    'that waits in a circle is a deadlock with both stacks',
    inMacrotask(() => {
      for (let seed = 0; seed < 20; seed++) {
        const sim = new Sim({ seed });
        const jobs = new Channel<number>();
        const results = new Channel<number>();
        void sim.spawn('worker', async function work() {
          await jobs.recv();
          await results.send(1);
        });
        void sim.spawn('collector', async function collect() {
          await results.recv();
          await jobs.send(1);
        });
        let error: unknown;
        try {
          sim.run();
        } catch (thrown) {
          error = thrown;
        }
        expect(error).to.be.instanceOf(DeadlockError);
        const { blocked } = error as DeadlockError;
        const lines = blocked.map(({ name, stack }) => `${name} in ${stack[0].split(' ')[0]}`);
        expect(lines.sort()).to.deep.equal(['collector#1 in collect', 'worker#1 in work']);
      }
    }),
  );
});

describe('a scenario with one order', () => {
  it(
    'ends the search at once',
    inMacrotask(() => {
      const report = explore((sim) => {
        void sim.spawn('main', lowdiversity);
        sim.run();
        return 'done';
      });
      expect(report).to.include({ trials: 1, shapes: 1, stopped: 'one schedule' });
    }),
  );
});

describe('the modes of the command line', () => {
  it(
    'print what a seed came to, and how many orders there were',
    inMacrotask(() => {
      const [pool, sum] = modes;
      for (let seed = 1; seed <= 10; seed++) {
        const { line, violation } = pool.run(seed, {} as never);
        expect(line).to.match(new RegExp(`^seed=${seed} ok, \\d+( \\d+){${JOBS - 1}}$`));
        expect(violation).to.equal(false);
        expect(sum.run(seed, {} as never).line).to.equal(`seed=${seed} ok, 10`);
      }
      expect(pool.summary!()).to.match(/^10 runs, (?:[5-9]|10) shapes, (?:[3-9]|10) outcomes$/);
      expect(sum.summary!()).to.equal('10 runs, 1 shapes, 1 outcomes');
    }),
  );
});
