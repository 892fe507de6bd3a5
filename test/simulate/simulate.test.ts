/** `simulate`: what it finds, what it throws, and that what it prints runs it again. */

import { expect } from 'chai';
import { FindingError, Mutex, simulate, sleep, type SimulateOptions } from '../../index.js';
import { VARIABLE } from '../../runtime/simulate/replay-line.js';

/** The finding of a call that has to have one. */
async function findingOf(options: SimulateOptions, body: () => unknown): Promise<FindingError> {
  try {
    await simulate(options, body);
  } catch (error) {
    if (error instanceof FindingError) return error;
    throw error;
  }
  throw new Error('nothing was found');
}

/** A read and a write with a timer each: nothing of it is instrumented. */
async function deposits(): Promise<void> {
  let balance = 0;
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const deposit = async (amount: number, after: number): Promise<void> => {
    await later(after);
    const before = balance;
    await later(5);
    balance = before + amount;
  };
  await Promise.all([deposit(10, 1), deposit(5, 20)]);
  expect(balance).to.equal(15);
}

async function withLock(lock: Mutex, work: () => unknown): Promise<void> {
  await lock.lock();
  await work();
  lock.unlock();
}

/** Runs `work` with the variable of a replay set. */
async function withVariable<T>(value: string, work: () => Promise<T>): Promise<T> {
  process.env[VARIABLE] = value;
  try {
    return await work();
  } finally {
    delete process.env[VARIABLE];
  }
}

describe('simulate', () => {
  it('finds a race of stand-ins, minimizes it, and keeps the error of the body', async () => {
    const found = await findingOf({ trials: 300 }, deposits);
    expect(found.rung).to.equal('stubs');
    expect(found.schedule).to.match(/^stubs;\?\/body\.\d\S*#\d+late\+\d+ms$/);
    expect(found.message).to.match(/^expected (10|5) to equal 15/);
    expect(found.sentences).to.have.length(1);
    expect(found.cause).to.be.instanceOf(Error);
    expect(found.stack).to.include('deposits');
    expect(found).to.include({ expected: 15 });
  });

  it('finds the same again, and something else with another seed', async () => {
    const [a, b] = [await findingOf({}, deposits), await findingOf({}, deposits)];
    expect(a.message).to.equal(b.message);
    const other = await findingOf({ seed: 7 }, deposits);
    expect(other.message).to.not.include('Not deterministic');
  });

  it('replays the schedule and the seed of the variable, and only that', async () => {
    const found = await findingOf({}, deposits);
    let runs = 0;
    const counted = () => {
      runs++;
      return deposits();
    };
    const again = await withVariable(found.schedule!, () => findingOf({}, counted));
    expect(runs).to.equal(1);
    expect(again.message.split('\n')[0]).to.equal(found.message.split('\n')[0]);
    const { trials } = await withVariable('0', () => simulate(deposits));
    expect(trials).to.equal(0);
    const failed = await withVariable('nonsense', () => simulate(deposits)).catch(String);
    expect(failed).to.include('which is no rung');
  });

  it('prints a line with the schedule in it', async () => {
    const found = await findingOf({}, deposits);
    expect(found.replay).to.match(/ npx mocha \S/);
    expect(found.replay).to.include(`DETSIM_SIMULATE="${found.schedule}" `);
    expect(found.message).to.match(/replay with: DETSIM_SIMULATE=.*$/);
  });

  it('passes what is correct, and counts orders', async () => {
    const report = await simulate({ trials: 100 }, async (sim) => {
      const lock = new Mutex();
      let balance = 0;
      const deposit = () =>
        withLock(lock, async () => {
          const before = balance;
          await new Promise((resolve) => setTimeout(resolve, 5));
          balance = before + 1;
        });
      await Promise.all(['a', 'b', 'c'].map((name) => sim.spawn(name, deposit)));
      expect(balance).to.equal(3);
    });
    expect(report.trials).to.equal(100);
    expect(report.shapes).to.be.above(1);
    expect(report.hazards).to.deep.equal([]);
  });

  it('takes one trial where nothing can happen otherwise', async () => {
    const report = await simulate(() => 1);
    expect(report).to.deep.equal({ trials: 1, shapes: 1, hazards: [] });
  });

  it('reports a failure of the plain order with seed 0', async () => {
    const found = await findingOf({}, () => expect(1).to.equal(2));
    expect(found.rung).to.equal('native');
    expect(found.replay).to.match(/^DETSIM_SIMULATE=0 /);
  });

  it('reports deadlocks, and orders of primitives on any rung', async () => {
    const found = await findingOf({ trials: 200 }, async () => {
      const [a, b] = [new Mutex(), new Mutex()];
      const take = (first: Mutex, second: Mutex) =>
        withLock(first, () => withLock(second, () => undefined));
      await Promise.all([take(a, b), take(b, a)]);
    });
    expect(found.message).to.include('nothing can run any more');
  });

  it('runs in virtual time, with the simulation as argument', async () => {
    await simulate({ trials: 3 }, async (sim) => {
      const start = sim.now;
      await sleep(3_600_000_000_000);
      expect(sim.now - start).to.be.at.least(3_600_000_000_000);
      const results: number[] = [];
      await Promise.all([1, 2].map((n) => sim.spawn('task', () => results.push(n))));
      expect(results).to.have.members([1, 2]);
    });
  });

  it('throws what nobody awaited', async () => {
    const found = await findingOf({}, async () => {
      void Promise.reject(new Error('nobody looks'));
      await new Promise((resolve) => setTimeout(resolve, 10));
    });
    expect(found.message).to.include('nobody looks');
  });

  it('says when the body keeps state outside', async () => {
    let runs = 0;
    const found = await findingOf({ trials: 60 }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (++runs % 17 === 0) throw new Error('only now');
    });
    expect(found.message).to.include('Not deterministic');
  });

  it('refuses wrong options', async () => {
    const failed = async (options: object): Promise<string> =>
      simulate(options, () => 1).then(() => 'passed', String);
    expect(await failed({ trial: 1 })).to.include('there is no option "trial"');
    expect(await failed({ trials: 0 })).to.include('trials must be a whole number');
    expect(await failed({ order: 'all' })).to.include('order must be one of native, node');
    expect(await failed({ schedule: {} })).to.include('must be one that `schedules()` has made');
    expect(await simulate({}, undefined as never).catch(String)).to.include('must be a function');
  });
});
