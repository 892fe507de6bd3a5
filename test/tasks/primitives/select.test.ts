/** Select: one case of those that are ready, evaluated once, and the choice is the simulation's. */

import { expect } from 'chai';
import { after, Channel, ChannelClosedError, select, sleep, spawn } from '../../../index.js';
import { inMacrotask, rejected, simulate, succeed } from './simulate.js';

describe('select', () => {
  it(
    'takes the case that is ready, and says what was received',
    inMacrotask(() => {
      succeed(async () => {
        const a = new Channel<number>(1);
        const b = new Channel<string>(1);
        await b.send('b');
        const chosen = await select([{ recv: a }, { recv: b }]);
        expect(chosen).to.deep.equal({ index: 1, value: 'b', done: false });
        // The index says which type the value has.
        if (chosen.index === 1) expect(chosen.value?.toUpperCase()).to.equal('B');
      });
    }),
  );

  it(
    'blocks until a case is ready, and then leaves the others alone',
    inMacrotask(() => {
      for (let seed = 0; seed < 50; seed++) {
        succeed(async () => {
          const a = new Channel<number>();
          const b = new Channel<number>();
          void spawn('sender', async () => {
            await sleep(2000);
            await b.send(7);
          });
          expect(await select([{ recv: a }, { recv: b }])).to.include({ index: 1, value: 7 });
          // It does not wait at the other channel any more.
          expect(a.trySend(1)).to.equal(false);
          expect(b.trySend(1)).to.equal(false);
        }, seed);
      }
    }),
  );

  it(
    'takes the default when nothing else is ready',
    inMacrotask(() => {
      succeed(async () => {
        const a = new Channel<number>(1);
        const cases = [{ recv: a }, { default: true }] as const;
        expect((await select(cases)).index).to.equal(1);
        await a.send(1);
        expect((await select(cases)).index).to.equal(0);
      });
    }),
  );

  it(
    'sends when a receiver comes, with the value it had on entry',
    inMacrotask(() => {
      succeed(async () => {
        const a = new Channel<number>();
        let evaluated = 0;
        const sending = {
          get send() {
            evaluated++;
            return a;
          },
          value: 1,
        };
        const chosen = select([sending, { recv: new Channel<number>() }]);
        sending.value = 2;
        expect(await a.recv()).to.equal(1);
        expect(await chosen).to.deep.equal({ index: 0, value: undefined, done: false });
        expect(evaluated).to.equal(1);
      });
    }),
  );

  it(
    'lets each of the cases that are ready win, in some seed',
    inMacrotask(() => {
      const wins = [0, 0, 0];
      for (let seed = 1; seed <= 200; seed++) {
        succeed(async () => {
          const channels = [0, 1, 2].map(() => new Channel<number>(1));
          for (const channel of channels) await channel.send(1);
          wins[(await select(channels.map((recv) => ({ recv })))).index]++;
        }, seed);
      }
      for (const count of wins) expect(count).to.be.greaterThan(20);
    }),
  );

  it(
    'fails when it sends to a closed channel, also when that closes meanwhile',
    inMacrotask(() => {
      for (let seed = 0; seed < 50; seed++) {
        succeed(async () => {
          const closed = new Channel<number>();
          closed.close();
          await rejected(select([{ send: closed, value: 1 }]), ChannelClosedError);
          const open = new Channel<number>();
          void spawn('closer', async () => {
            await sleep(3000);
            open.close();
          });
          const cases = [{ recv: new Channel<number>() }, { send: open, value: 1 }] as const;
          await rejected(select(cases), ChannelClosedError);
        }, seed);
      }
    }),
  );

  it(
    'receives from a channel that closes',
    inMacrotask(() => {
      succeed(async () => {
        const a = new Channel<number>();
        void spawn('closer', async () => {
          await sleep(5);
          a.close();
        });
        const chosen = await select([{ recv: a }]);
        expect(chosen).to.deep.equal({ index: 0, value: undefined, done: true });
      });
    }),
  );

  it(
    'never meets itself',
    inMacrotask(() => {
      const { error } = simulate(async () => {
        const a = new Channel<number>();
        await select([{ recv: a }, { send: a, value: 1 }]);
      });
      expect(error).to.have.property('name', 'DeadlockError');
    }),
  );

  it(
    'lets two of them meet: one value, one receiver',
    inMacrotask(() => {
      for (let seed = 0; seed < 100; seed++) {
        const got: number[] = [];
        const { error } = simulate(() => {
          const a = new Channel<number>();
          const b = new Channel<number>();
          for (const name of ['x', 'y']) {
            void spawn(name, async () => {
              const { value } = await select([{ recv: a }, { recv: b }]);
              got.push(value!);
            });
          }
          for (const value of [1, 2]) {
            void spawn('sender', () =>
              select([
                { send: a, value },
                { send: b, value },
              ]),
            );
          }
        }, seed);
        expect(error).to.equal(undefined);
        expect(got.sort(), `seed ${seed}`).to.deep.equal([1, 2]);
      }
    }),
  );

  it('wants cases that it knows', () => {
    expect(() => select([{ receive: 1 } as never])).to.throw(TypeError, 'recv: channel');
  });
});

describe('after', () => {
  it(
    'lets a limit of 1 ns win over ready work in some seed, and lose in another',
    inMacrotask(() => {
      const winners = new Set<number>();
      for (let seed = 1; seed <= 20; seed++) {
        succeed(async () => {
          const results = new Channel<number>(1);
          void spawn('worker', () => results.send(42));
          const chosen = await select([{ recv: results }, { recv: after(1) }]);
          winners.add(chosen.index);
        }, seed);
      }
      expect([...winners].sort()).to.deep.equal([0, 1]);
    }),
  );

  it(
    'sends the time at its end, once',
    inMacrotask(() => {
      const { now } = succeed(async () => {
        const timeout = after(500);
        expect(await timeout.recv()).to.equal(500);
        expect(timeout.tryRecv()).to.equal(undefined);
      });
      expect(now).to.equal(500);
    }),
  );

  it(
    'does not keep a run going when nobody waits for it, nor after it was cancelled',
    inMacrotask(() => {
      const { now } = succeed(async () => {
        const results = new Channel<number>(1);
        await results.send(1);
        await select([{ recv: results }, { recv: after(1e12) }]);
        const timeout = after(2e12);
        expect(timeout.cancel()).to.equal(true);
        expect(timeout.cancel()).to.equal(false);
        await sleep(10);
      });
      expect(now).to.equal(10);
    }),
  );

  it('wants a time that makes sense', () => {
    for (const time of [-1, 0.5, NaN, Infinity]) {
      expect(() => after(time)).to.throw(RangeError, String(time));
      expect(() => sleep(time)).to.throw(RangeError, String(time));
    }
  });
});
