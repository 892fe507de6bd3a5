/** Channels: rendezvous, buffers, closing, and who is served first. */

import { expect } from 'chai';
import { Channel, ChannelClosedError, DeadlockError, sleep, spawn } from '../../../index.js';
import { inMacrotask, rejected, simulate, succeed } from './simulate.js';

/** Starts tasks that send one number each. */
function senders(channel: Channel<number>, count: number, sent: (i: number) => void): void {
  for (let i = 0; i < count; i++) {
    void spawn('sender', async () => {
      await channel.send(i);
      sent(i);
    });
  }
}

describe('an unbuffered channel', () => {
  it(
    'lets a send complete only when its value has been received',
    inMacrotask(() => {
      for (let seed = 0; seed < 300; seed++) {
        let asked = 0;
        let sent = 0;
        let early = false;
        succeed(() => {
          const channel = new Channel<number>();
          senders(channel, 5, () => {
            if (++sent > asked) early = true;
          });
          void spawn('receiver', async () => {
            while (asked < 5) {
              asked++;
              await channel.recv();
            }
          });
        }, seed);
        expect(early, `seed ${seed}`).to.equal(false);
        expect(sent).to.equal(5);
      }
    }),
  );

  it(
    'pairs one receive with one send',
    inMacrotask(() => {
      for (let seed = 0; seed < 100; seed++) {
        let sent = 0;
        const { error } = simulate(() => {
          const channel = new Channel<number>();
          senders(channel, 5, () => sent++);
          void spawn('receiver', () => channel.recv());
        }, seed);
        expect(sent, `seed ${seed}`).to.equal(1);
        expect(error).to.be.instanceOf(DeadlockError);
        expect((error as DeadlockError).blocked).to.have.length(4);
      }
    }),
  );

  it(
    'serves senders and receivers in the order of their coming',
    inMacrotask(() => {
      const got: unknown[] = [];
      succeed(async () => {
        const channel = new Channel<number>();
        senders(channel, 3, () => {});
        for (let i = 0; i < 3; i++) got.push(await channel.recv());
        for (const name of ['a', 'b', 'c']) {
          void spawn(name, async () => got.push(name + (await channel.recv())));
        }
        for (let i = 0; i < 3; i++) await channel.send(i);
      });
      expect(got).to.deep.equal([0, 1, 2, 'a0', 'b1', 'c2']);
    }),
  );

  it(
    'holds no value: neither try succeeds with nobody there',
    inMacrotask(() => {
      succeed(async () => {
        const channel = new Channel<number>();
        expect(channel.trySend(1)).to.equal(false);
        expect(channel.tryRecv()).to.equal(undefined);
        void spawn('receiver', async () => expect(await channel.recv()).to.equal(2));
        await sleep(1);
        expect(channel.trySend(2)).to.equal(true);
        expect(channel.length).to.equal(0);
        void spawn('sender', () => channel.send(3));
        await sleep(1);
        expect(channel.tryRecv()).to.deep.equal({ value: 3, done: false });
      });
    }),
  );
});

describe('a buffered channel', () => {
  it(
    'keeps as many values as it has room for, in order',
    inMacrotask(() => {
      succeed(async () => {
        const channel = new Channel<number>(2);
        const sent: number[] = [];
        senders(channel, 3, (i) => sent.push(i));
        await sleep(10);
        expect(sent).to.deep.equal([0, 1]);
        expect([channel.length, channel.capacity]).to.deep.equal([2, 2]);
        expect(channel.trySend(9)).to.equal(false);
        expect(await channel.recv()).to.equal(0);
        await sleep(10);
        expect(sent).to.deep.equal([0, 1, 2]);
        expect([await channel.recv(), await channel.recv()]).to.deep.equal([1, 2]);
        expect(channel.tryRecv()).to.equal(undefined);
      });
    }),
  );

  it(
    'keeps any number of values in order when its capacity is infinite',
    inMacrotask(() => {
      succeed(async () => {
        const channel = new Channel<number>(Infinity);
        for (let i = 0; i < 1000; i++) await channel.send(i);
        for (let i = 0; i < 500; i++) expect(await channel.recv()).to.equal(i);
        for (let i = 1000; i < 1500; i++) await channel.send(i);
        channel.close();
        let next = 500;
        for await (const value of channel) expect(value).to.equal(next++);
        expect(next).to.equal(1500);
      });
    }),
  );

  it('has a capacity that makes sense', () => {
    for (const capacity of [-1, 0.5, NaN]) {
      expect(() => new Channel(capacity)).to.throw(RangeError, String(capacity));
    }
  });
});

describe('a closed channel', () => {
  it(
    'hands out what it keeps, and then says that it is closed',
    inMacrotask(() => {
      succeed(async () => {
        const channel = new Channel<number>(2);
        await channel.send(1);
        channel.close();
        expect(channel.closed).to.equal(true);
        expect(await channel.next()).to.deep.equal({ value: 1, done: false });
        expect(await channel.next()).to.deep.equal({ value: undefined, done: true });
        expect(await channel.recv()).to.equal(undefined);
        expect(channel.tryRecv()).to.deep.equal({ value: undefined, done: true });
      });
    }),
  );

  it(
    'refuses to be sent to or closed again',
    inMacrotask(() => {
      succeed(async () => {
        const channel = new Channel<number>(1);
        channel.close();
        await rejected(channel.send(1), ChannelClosedError);
        expect(() => channel.trySend(1)).to.throw(ChannelClosedError);
        expect(() => channel.close()).to.throw(ChannelClosedError);
      });
    }),
  );

  it(
    'wakes all who wait: receivers learn it, senders fail',
    inMacrotask(() => {
      for (let seed = 0; seed < 50; seed++) {
        let woken = 0;
        succeed(async () => {
          const empty = new Channel<number>();
          const full = new Channel<number>();
          for (let i = 0; i < 3; i++) {
            void spawn('receiver', async () => {
              expect(await empty.recv()).to.equal(undefined);
              woken++;
            });
            void spawn('sender', async () => {
              await rejected(full.send(i), ChannelClosedError);
              woken++;
            });
          }
          await sleep(10_000);
          empty.close();
          full.close();
        }, seed);
        expect(woken).to.equal(6);
      }
    }),
  );

  it(
    'ends a for await loop, and a loop that is left does not close it',
    inMacrotask(() => {
      succeed(async () => {
        const channel = new Channel<string>(3);
        for (const word of ['a', 'b', 'c']) await channel.send(word);
        for await (const word of channel) {
          expect(word).to.equal('a');
          break;
        }
        expect(channel.closed).to.equal(false);
        channel.close();
        const rest = [];
        for await (const word of channel) rest.push(word);
        expect(rest).to.deep.equal(['b', 'c']);
      });
    }),
  );
});
