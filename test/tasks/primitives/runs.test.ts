/** Whole runs: deadlocks, background tasks, limits, exact replay, and plain Node. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import {
  after,
  Channel,
  DeadlockError,
  Mutex,
  select,
  Sim,
  sleep,
  spawn,
  StepBudgetError,
  WaitGroup,
} from '../../../index.js';
import { enter, file } from '../../../runtime/tasks/hooks.js';
import { inMacrotask, simulate, succeed } from './simulate.js';

/** Two tasks that each wait for the other to speak first. */
function circularWait(): void {
  const requests = new Channel<string>();
  const replies = new Channel<string>();
  async function ask(): Promise<void> {
    await replies.recv();
    await requests.send('hello');
  }
  void spawn('client', async () => {
    await ask();
  });
  void spawn('server', async () => {
    await requests.recv();
    await replies.send('hello yourself');
  });
}

describe('a deadlock', () => {
  it(
    'names each task, what it waits for, where, and its stack',
    inMacrotask(() => {
      const { error, now } = simulate(circularWait);
      expect(error).to.be.instanceOf(DeadlockError);
      const { blocked } = error as DeadlockError;
      expect(blocked.map(({ name, waitsFor }) => [name, waitsFor])).to.deep.equal([
        ['client#1', 'Channel.recv()'],
        ['server#1', 'Channel.recv()'],
      ]);
      const [client, server] = blocked;
      expect(client.stack.map((line) => line.split(' ')[0])).to.deep.equal(['ask', '<anonymous>']);
      expect(client.position).to.match(/test\/tasks\/primitives\/runs\.test\.[jt]s:\d+:\d+$/);
      expect(server.stack).to.have.length(1);
      expect((error as Error).message)
        .to.include(client.position)
        .and.include(server.position);
      expect(now).to.equal(0);
    }),
  );

  it(
    'is found in every seed, and whatever else has run before',
    inMacrotask(() => {
      for (let seed = 1; seed <= 50; seed++) {
        const { error } = simulate(async () => {
          await sleep(1000);
          circularWait();
        }, seed);
        expect((error as DeadlockError).blocked).to.have.length(2);
      }
    }),
  );

  it(
    'shows through Promise.all who waits, and names tasks that wait for any other promise',
    inMacrotask(() => {
      const { error } = simulate(() => {
        const channel = new Channel<number>();
        void spawn('pair', async () => {
          await Promise.all([channel.recv(), sleep(5)]);
        });
        void spawn('lost', () => new Promise(() => {}));
      });
      const { blocked } = error as DeadlockError;
      expect(blocked.map((task) => task.name)).to.deep.equal(['pair#1', 'lost#1']);
      expect(blocked[0].stack[0]).to.match(/^Promise\.all|^<anonymous>/);
      expect(blocked[1].waitsFor).to.equal('a promise that nothing settles');
    }),
  );

  it(
    'shows the source text in code that is instrumented',
    inMacrotask(() => {
      const base = file('ask.ts', [
        ['function', 1, 1, 'ask', 'ask'],
        ['await', 2, 3, 'ask', 'replies.recv()'],
      ]);
      async function ask(replies: Channel<number>): Promise<void> {
        const $f = enter(base);
        try {
          $f.resume(await $f.suspend(replies.recv(), base + 1));
        } finally {
          $f.exit();
        }
      }
      const { error, choices } = simulate(() => ask(new Channel<number>()));
      expect((error as DeadlockError).blocked).to.deep.equal([
        {
          name: 'ask#1',
          waitsFor: 'replies.recv()',
          position: 'ask.ts:2:3',
          stack: ['ask (ask.ts:2:3)'],
        },
      ]);
      // The operation has its delay; the await of it is no second choice.
      expect(choices).to.equal(1);
    }),
  );

  it(
    'is none while time can still bring something, nor when only background tasks wait',
    inMacrotask(() => {
      let ticks = 0;
      const { now } = succeed(async () => {
        const never = new Channel<number>();
        void spawn('listener', () => never.recv(), { background: true });
        void spawn(
          'heartbeat',
          async () => {
            for (;;) {
              await sleep(100);
              ticks++;
            }
          },
          { background: true },
        );
        await sleep(1050);
      });
      expect(now).to.equal(1050);
      expect(ticks).to.equal(10);
    }),
  );

  it(
    'waits for what a background task brings',
    inMacrotask(() => {
      const { now } = succeed(async () => {
        const channel = new Channel<number>();
        const bring = async () => {
          await sleep(5000);
          await channel.send(1);
        };
        void spawn('bringer', bring, { background: true });
        await channel.recv();
      });
      expect(now).to.equal(5000);
    }),
  );
});

describe('a run that is cut off', () => {
  const steps = async () => {
    const channel = new Channel<number>(10);
    for (let i = 0; i < 9; i++) await channel.send(i);
  };

  it(
    'is told apart from one that needs exactly as many steps',
    inMacrotask(() => {
      const needed = simulate(steps).steps;
      expect(simulate(steps, 0, needed).error).to.equal(undefined);
      expect(simulate(steps, 0, needed - 1).error).to.be.instanceOf(StepBudgetError);
    }),
  );

  it(
    'ends a task that spins without time passing',
    inMacrotask(() => {
      const { error, now } = simulate(async () => {
        const mutex = new Mutex();
        for (;;) {
          await mutex.lock();
          mutex.unlock();
        }
      });
      expect(error).to.be.instanceOf(StepBudgetError);
      expect(now).to.equal(0);
    }),
  );

  it(
    'resumes nobody: neither who is blocked nor who sleeps',
    inMacrotask(() => {
      let resumed = 0;
      const channel = new Channel<number>();
      const sim = new Sim({ seed: 0 });
      for (let i = 0; i < 25; i++) {
        void sim.spawn('blocked', () => channel.recv().then(() => resumed++));
        void sim.spawn('asleep', () => sleep(1e6).then(() => resumed++));
      }
      sim.runFor(1000);
      expect(channel.awaited).to.equal(true);
      new Sim({ seed: 0 }).run();
      expect(resumed).to.equal(0);
    }),
  );
});

describe('tasks', () => {
  it(
    'let nothing happen in an empty run',
    inMacrotask(() => {
      const { now, steps, choices } = succeed(() => {});
      expect([now, steps, choices]).to.deep.equal([0, 1, 0]);
    }),
  );

  it(
    'pass on what they fail with; one that nobody awaits ends the run',
    inMacrotask(() => {
      succeed(async () => {
        let message = '';
        await spawn('failing', async () => {
          await sleep(1);
          throw new Error('boom');
        }).catch((error: Error) => (message = error.message));
        expect(message).to.equal('boom');
      });
      const { error } = simulate(() => {
        void spawn('failing', async () => {
          await sleep(1);
          throw new Error('nobody listens');
        });
      });
      expect((error as Error).message).to.equal('nobody listens');
    }),
  );

  it(
    'are told apart after every await, also where they are not instrumented',
    inMacrotask(() => {
      const { decisions } = succeed(async () => {
        const channel = new Channel<number>(1);
        const work = async () => {
          for (let i = 0; i < 3; i++) {
            await channel.send(1);
            await channel.recv();
            await spawn('child', () => sleep(1));
          }
        };
        await Promise.all([spawn('a', work), spawn('b', work)]);
      }, 7);
      const byTask = new Map<string, number>();
      for (const { task } of decisions) {
        byTask.set(task.path(), (byTask.get(task.path()) ?? 0) + 1);
      }
      const names = ['a.1', 'b.1'].flatMap((n) => [n, ...[1, 2, 3].map((i) => `${n}/child.${i}`)]);
      expect([...byTask.keys()].sort()).to.deep.equal(names.sort());
    }),
  );
});

/** Uses select, random numbers, channels, sleeps, and locks; gives a log of what happened. */
function chaos(sim: Sim): string[] {
  const log: string[] = [];
  const note = (text: string): void => void log.push(`${sim.now} ${text}`);
  const numbers = sim.random('chaos');
  void sim.spawn('main', async () => {
    const jobs = new Channel<number>(2);
    const results = new Channel<number>();
    const mutex = new Mutex();
    const working = new WaitGroup();
    for (let w = 0; w < 3; w++) {
      working.add();
      void spawn('worker', async () => {
        for await (const job of jobs) {
          await sleep(numbers.integer(0, 300));
          await mutex.lock();
          note(`worker ${w} has job ${job}`);
          mutex.unlock();
          await results.send(job * 2 + Math.floor(Math.random() * 2));
        }
        working.done();
      });
    }
    void spawn('feeder', async () => {
      for (let job = 0; job < 6; job++) {
        const sent = await select([{ send: jobs, value: job }, { recv: after(50) }]);
        note(`job ${job} case ${sent.index}`);
      }
      jobs.close();
      await working.wait();
      results.close();
    });
    for await (const result of results) note(`result ${result}`);
  });
  return log;
}

describe('exact replay', () => {
  const record = (seed: number) => {
    const sim = new Sim({ seed });
    const log = chaos(sim);
    sim.run();
    return { log: log.join('\n'), digest: sim.loop.digest, steps: sim.steps };
  };

  it(
    'gives the same run for the same seed, 1,000 times, and others for other seeds',
    inMacrotask(() => {
      const logs = new Set<string>();
      for (let seed = 1; seed <= 1000; seed++) {
        const first = record(seed);
        expect(record(seed)).to.deep.equal(first);
        logs.add(first.log);
      }
      expect(logs.size).to.be.greaterThan(900);
    }),
  ).timeout(30_000);
});

describe('shapes', () => {
  /** Two pairs of tasks that have nothing to do with each other, or one group of four. */
  const scenario = (channels: number) => () => {
    const all = Array.from({ length: channels }, () => new Channel<number>(4));
    for (let i = 0; i < 4; i++) {
      void spawn(`task${i}`, () => all[i % channels].send(i));
    }
  };
  const shapes = (channels: number) => {
    const seen = new Set<number>();
    for (let seed = 1; seed <= 1000; seed++) seen.add(succeed(scenario(channels), seed).shape);
    return seen.size;
  };

  it(
    'count orders at one primitive, and not between primitives',
    inMacrotask(() => {
      expect(shapes(4)).to.equal(1);
      expect(shapes(2)).to.equal(2 * 2);
      expect(shapes(1)).to.equal(4 * 3 * 2);
    }),
  );
});

describe('outside any simulation', () => {
  it('primitives work by plain promises', async () => {
    const channel = new Channel<number>();
    const results = new Channel<number>(10);
    const mutex = new Mutex();
    const working = new WaitGroup();
    for (let i = 0; i < 3; i++) {
      working.add();
      void spawn('worker', async () => {
        for await (const value of channel) {
          await mutex.lock();
          await results.send(value * value);
          mutex.unlock();
        }
        working.done();
      });
    }
    for (let i = 1; i <= 4; i++) await channel.send(i);
    channel.close();
    await working.wait();
    results.close();
    const got = [];
    for await (const value of results) got.push(value);
    expect(got.sort((a, b) => a - b)).to.deep.equal([1, 4, 9, 16]);
    const { index } = await select([{ recv: new Channel<number>() }, { recv: after(1e6) }]);
    expect(index).to.equal(1);
    await sleep(1);
  });

  it('a time limit that nobody waits for lets the process end', () => {
    const index = path.join(__dirname, '..', '..', '..', 'index.js');
    const script = `
      const { after, Channel, select } = require(${JSON.stringify(index)});
      (async () => {
        const ready = new Channel(1);
        setTimeout(() => ready.trySend('work'), 5);
        const { value } = await select([{ recv: ready }, { recv: after(600e9) }]);
        console.log(value);
      })();`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stdout).to.equal('work\n');
  }).timeout(60_000);
});
