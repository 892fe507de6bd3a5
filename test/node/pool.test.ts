/**
 * The thread pool and messages: what is chosen about them, what stays in order, and that nothing of
 * them reaches the real event loop.
 */

import crypto from 'node:crypto';
import { MessageChannel, Worker } from 'node:worker_threads';
import zlib from 'node:zlib';
import { expect } from 'chai';
import { Kind, noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { NODE, STUBS } from '../../runtime/kernel/rung.js';
import { simulate } from './simulate.js';

/** The first operation takes 100 ms longer. */
function firstIsLate(): Strategy {
  let asked = 0;
  return {
    ...noDeviation,
    delay: ({ kind }) => (kind === Kind.Io && asked++ === 0 ? 100e6 : 0),
  };
}

describe('the thread pool in a simulation', () => {
  it('has four threads, which take turns', () => {
    const { log } = simulate((write, { loop }) => {
      for (let i = 0; i < 5; i++) {
        crypto.pbkdf2('p', 's', 10, 8, 'sha1', () => write(i, loop.now));
      }
    });
    expect(log).to.deep.equal([0, 3000, 1, 3000, 2, 3000, 3, 3000, 4, 6000]);
  });

  it('lets an operation overtake another on rung node, and not on native', () => {
    const both = (write: (value: unknown) => void): void => {
      zlib.gzip('a', () => write('gzip'));
      crypto.pbkdf2('p', 's', 1000, 8, 'sha1', () => write('pbkdf2'));
    };
    const late = { strategy: firstIsLate(), rung: NODE };
    expect(simulate(both).log).to.deep.equal(['gzip', 'pbkdf2']);
    expect(simulate(both, late).log).to.deep.equal(['pbkdf2', 'gzip']);
    expect(simulate(both, { strategy: firstIsLate() }).log).to.deep.equal(['gzip', 'pbkdf2']);
  });

  it('records what draws on chance', () => {
    const { scheduler } = simulate((write) => {
      crypto.generateKeyPair('ed25519', {}, write);
      zlib.gzip('a', write);
    });
    const calls = [...scheduler.uncontrolled.values()];
    expect(calls.map(({ call }) => call)).to.deep.equal(['crypto.generateKeyPair']);
    expect(scheduler.blockedOnUncontrolled).to.equal(false);
  });
});

describe('messages in a simulation', () => {
  const twoChannels = (write: (value: unknown) => void): void => {
    for (const name of ['first', 'second']) {
      const { port1, port2 } = new MessageChannel();
      port2.on('message', (message) => write(`${name} ${message}`));
      port1.postMessage(1);
      port1.postMessage(2);
    }
  };
  const inOrder = ['first 1', 'first 2', 'second 1', 'second 2'];

  it('are late on rung stubs only, and stay in order for one port', () => {
    const at = (rung: typeof NODE | typeof STUBS): unknown[] =>
      simulate(twoChannels, { strategy: firstIsLate(), rung }).log;
    expect(at(NODE)).to.deep.equal(inOrder);
    expect(at(STUBS)).to.deep.equal(['second 1', 'second 2', 'first 1', 'first 2']);
  });

  it('do not reach the real event loop when the simulation ends before they arrive', async () => {
    let port: object | undefined;
    const seen: unknown[] = [];
    simulate(
      (_write, scheduler) => {
        const { port1, port2 } = new MessageChannel();
        port = port2;
        port2.on('message', (data) => void seen.push(data));
        port1.postMessage('too late');
        scheduler.loop.after(0, () => scheduler.loop.stop());
        port1.postMessage('later still');
      },
      { strategy: firstIsLate(), rung: STUBS },
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(port).to.not.equal(undefined);
    expect(seen).to.deep.equal([]);
  });

  it('of a worker are none: it is uncontrolled, and withholds the verdict', () => {
    const { log, scheduler } = simulate((write) => {
      try {
        new Worker('', { eval: true });
      } catch (error) {
        write((error as { code?: string }).code);
      }
    });
    expect(log).to.deep.equal(['ERR_DETSIM_UNCONTROLLED']);
    expect(scheduler.blockedOnUncontrolled).to.equal(true);
  });
});
