/** Channels: rendezvous, buffers, closing, and who is served first. */

import { expect } from 'chai';
import { Channel, ChannelClosedError, DeadlockError, sleep, spawn } from '../../../index.js';
import { inMacrotask, simulate, simulateSeed } from './simulate.js';

describe('an unbuffered channel', () => {
  it(
    'lets a send complete only when its value has been received',
    inMacrotask(() => {
      for (let seed = 0; seed < 300; seed++) {
        let received = 0;
        const run = simulateSeed(seed, () => {
          const channel = new Channel<number>();
          for (let i = 0; i < 5; i++) {
            void spawn('sender', async () => {
              await channel.send(i);
              expect(received).to.be.greaterThan(0);
              sent++;
              expect(sent, `seed ${seed}`).to.be.at.most(received);
            });
          }
          let sent = 0;
          void spawn('receiver', async () => {
            for (let i = 0; i < 5; i++) {
              received++;
              await channel.recv();
            }
          });
        });
        expect(run.error).to.equal(undefined);
      }
    }),
  );

  it(
    'pairs one receive with one send',
    inMacrotask(() => {
      for (let seed = 0; seed < 100; seed++) {
        let completed = 0;
        const { error } = simulateSeed(seed, () => {
          const channel = new Channel<number>();
          for (let i = 0; i < 5; i++) {
            void spawn('sender', async () => {
              await channel.send(i);
              completed++;
            });
          }
          void spawn('receiver', () => channel.recv());
        });
        expect(completed).to.equal(1);
        expect(error).to.be.instanceOf(DeadlockError);
        expect((error as DeadlockError).blocked).to.have.length(4);
      }
    }),
  );

  it(
    'works with sleeps',
    inMacrotask(() => {
      const { now, error } = simulate(async () => {
        const channel = new Channel<string>();
        void spawn('sender', async () => {
          await sleep(1000);
          await channel.send('late');
          channel.close();
        });
        const got = [];
        for await (const value of channel) got.push(value);
        expect(got).to.deep.equal(['late']);
        await expectRejection(channel.send('x'), ChannelClosedError);
      });
      expect(error).to.equal(undefined);
      expect(now).to.equal(1000);
    }),
  );
});

async function expectRejection(promise: Promise<unknown>, type: new (...a: never[]) => Error) {
  let error: unknown;
  await promise.catch((thrown: unknown) => (error = thrown));
  expect(error).to.be.instanceOf(type);
}

describe('deadlock', () => {
  it(
    'names both tasks',
    inMacrotask(() => {
      const { error } = simulateSeed(3, () => {
        const requests = new Channel<number>();
        const replies = new Channel<number>();
        async function ask() {
          await replies.recv();
          await requests.send(1);
        }
        void spawn('client', async () => {
          await ask();
        });
        void spawn('server', async () => {
          await requests.recv();
          await replies.send(2);
        });
      });
      const { blocked } = error as DeadlockError;
      expect(blocked.map((task) => task.name).sort()).to.deep.equal(['client#1', 'server#1']);
    }),
  );
});
