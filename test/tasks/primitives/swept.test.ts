/** Primitives in mocha tests that are swept: instrumented, in the simulation of the test. */

import path from 'node:path';
import { expect } from 'chai';
import { NO_PROFILE, type ScopeProfile } from '../../../runtime/explore/profile.js';
import { makeStrategy, SEEDED } from '../../../runtime/explore/strategies/index.js';
import { ANY } from '../../../runtime/kernel/rung.js';
import { mochaProject, runnerOf, statesOf, testOf, trial } from '../../mocha/project.js';

const spec = `
import { expect } from 'chai';
import { Channel, Mutex, select, spawn, WaitGroup } from 'detsim';

it('loses an update', async () => {
  const mutex = new Mutex();
  const working = new WaitGroup();
  let counter = 0;
  working.add(3);
  for (let i = 0; i < 3; i++) {
    void spawn('adder', async () => {
      await mutex.lock();
      const before = counter;
      mutex.unlock();
      if (i > 0) await mutex.lock();
      counter = before + 1;
      if (i > 0) mutex.unlock();
      working.done();
    });
  }
  await working.wait();
  expect(counter).to.equal(3);
});

it('takes either case', async () => {
  const [a, b] = [new Channel<string>(1), new Channel<string>(1)];
  await a.send('a');
  await b.send('b');
  expect((await select([{ recv: a }, { recv: b }])).value).to.equal('a');
});

it('is right', async () => {
  const jobs = new Channel<number>(2);
  const got: number[] = [];
  const workers = [1, 2].map(() =>
    spawn('worker', async () => {
      for await (const job of jobs) got.push(job);
    }),
  );
  for (let i = 0; i < 5; i++) await jobs.send(i);
  jobs.close();
  await Promise.all(workers);
  expect(got.sort()).to.deep.equal([0, 1, 2, 3, 4]);
});

it('waits in a circle', async () => {
  const [a, b] = [new Channel<number>(), new Channel<number>()];
  const ask = async () => {
    await a.recv();
    await b.send(1);
  };
  await Promise.all([spawn('asker', ask), spawn('teller', async () => {
    await b.recv();
    await a.send(1);
  })]);
});
`;

/** As many points to hold as one of the tests has, about. */
const profile: ScopeProfile = { ...NO_PROFILE, choices: [0, 0, 0, 25] };

describe('primitives in swept tests', function () {
  this.timeout(60_000);

  for (const name of SEEDED) {
    it(`are decided by the strategy ${name}, with equal runs for equal seeds`, async () => {
      const root = mochaProject({ 'a.spec.ts': spec }, { detsim: '../' });
      const runner = runnerOf(root);
      const run = async (seed: number) => {
        const plan = () => ({
          rung: ANY,
          strategy: makeStrategy(name, seed, profile, ANY),
        });
        return trial(runner, path.join(root, 'a.spec.ts'), { plan });
      };
      const states = new Map<string, Set<string>>();
      for (let seed = 1; seed <= 25; seed++) {
        const result = await run(seed);
        expect(statesOf(await run(seed))).to.deep.equal(statesOf(result));
        for (const { title, state } of result.tests) {
          states.set(title, (states.get(title) ?? new Set()).add(state));
        }
        const { failure } = testOf(result, 'waits in a circle');
        expect(failure!.message).to.include('a.recv()').and.include('b.recv()');
      }
      expect([...states.get('is right')!]).to.deep.equal(['passed']);
      expect([...states.get('waits in a circle')!]).to.deep.equal(['failed']);
      expect([...states.get('loses an update')!]).to.include('failed');
      // A budget of few deviations hardly ever meets the one choice.
      if (name !== 'delay-bounded') {
        expect([...states.get('takes either case')!].sort()).to.deep.equal(['failed', 'passed']);
      }
    });
  }
});
