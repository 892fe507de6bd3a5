/** Hosts in simulations made by hand: their tasks, clocks, ends and faults. */

import { expect } from 'chai';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import {
  Channel,
  microsecond,
  millisecond,
  second,
  Sim,
  sleep,
  type SimulatedHost,
} from '../../index.js';

/** Runs a body in a simulation, and gives what it returns. */
function simulated<T>(body: (sim: Sim) => Promise<T>, seed = 1): T {
  const sim = new Sim({ seed });
  const results: T[] = [];
  void sim.spawn('test', async () => void results.push(await body(sim)));
  sim.runFor(30 * second);
  return results[0]!;
}

describe('hosts', () => {
  it('a crash ends their tasks for good: no timer, no finally block, no answer', () => {
    const seen = simulated(async (sim) => {
      const log: string[] = [];
      const host = sim.host('a', async () => {
        setInterval(() => log.push('tick'), 10);
        setImmediate(() => log.push('immediate'));
        try {
          await sleep(1 * second);
          log.push('woken');
        } finally {
          log.push('finally');
        }
      });
      await sleep(25 * millisecond);
      await host.crash();
      expect(host.running).to.equal(false);
      await sleep(5 * second);
      return log;
    });
    expect(seen).to.deep.equal(['immediate', 'tick', 'tick']);
  });

  it('have names, process ids, and files dated by their own clock', () => {
    const seen = simulated(async (sim) => {
      const log: unknown[] = [];
      const look = (): void => {
        fs.writeFileSync('/tmp/dated', 'x');
        const year = fs.statSync('/tmp/dated').mtime.getFullYear();
        log.push([os.hostname(), process.pid, year, new Date().getFullYear()]);
      };
      look();
      await sim.host('a', look, { clock: { skew: -100 * 86_400 * second } }).ready;
      const b = sim.host('b', look);
      await b.ready;
      await b.restart();
      return log;
    });
    expect(seen).to.deep.equal([
      ['localhost', 4242, 2026, 2026],
      ['a', 4243, 2025, 2025],
      ['b', 4244, 2026, 2026],
      ['b', 4245, 2026, 2026],
    ]);
  });

  it('start anew, and exits are told', () => {
    const [starts, exits] = simulated(async (sim) => {
      let runs = 0;
      const host = sim.host('a', () => {
        runs++;
        setTimeout(() => process.exit(3), 10);
      });
      const ends = [];
      for (let i = 0; i < 3; i++) {
        ends.push(await host.exited());
        await host.restart();
      }
      return [runs, ends];
    });
    expect(starts).to.equal(4);
    expect(exits).to.deep.equal([{ code: 3 }, { code: 3 }, { code: 3 }]);
  });

  it('an error that nobody catches ends the host, and the run unless somebody expects it', () => {
    const failing = (): void => {
      setTimeout(() => {
        throw new Error('out of order');
      }, 10);
    };
    const exit = simulated(async (sim) => sim.host('a', failing).exited());
    expect(exit.code).to.equal(1);
    expect(String(exit.error)).to.equal('Error: out of order');
    const sim = new Sim();
    sim.host('a', failing);
    expect(() => sim.run()).to.throw('out of order');
    const rejecting = async (): Promise<void> => Promise.reject(new Error('rejected'));
    const other = new Sim();
    other.host('a', () => void setTimeout(() => void rejecting(), 5));
    expect(() => other.run()).to.throw('rejected');
  });

  it('have clocks with skew and drift, and timers that drift', () => {
    const read = simulated(async (sim) => {
      const times: Record<string, number> = {};
      const zero = Date.now();
      sim.host('ahead', () => void (times.ahead = Date.now() - zero), {
        clock: { skew: 5 * second },
      });
      sim.host(
        'fast',
        () => {
          const [at, ran] = [Date.now(), performance.now()];
          setTimeout(() => {
            times.fast = Date.now() - at;
            times.ran = Math.round(performance.now() - ran);
            times.really = sim.now / millisecond;
          }, 1000);
        },
        { clock: { drift: 0.25 } },
      );
      const jumping = sim.host('jumping', () => {
        const at = Date.now();
        const ran = performance.now();
        setTimeout(() => {
          times.jumped = Date.now() - at;
          times.steady = Math.round(performance.now() - ran);
        }, 100);
      });
      await sleep(1 * microsecond);
      jumping.clockJump(-3 * second);
      await sleep(2 * second);
      return times;
    });
    expect(read.ahead).to.equal(5000);
    expect([read.fast, read.ran]).to.deep.equal([1000, 1000]);
    expect(read.really).to.be.within(800, 801);
    expect([read.jumped, read.steady]).to.deep.equal([-2900, 100]);
  });

  it('are paused: what happens meanwhile happens afterwards, in its order', () => {
    const log = simulated(async (sim) => {
      const lines: string[] = [];
      const say = (text: string): void => void lines.push(`${text} ${sim.now / millisecond}`);
      const channel = new Channel<string>();
      const host = sim.host('a', async () => {
        setTimeout(() => say('timer'), 10);
        setTimeout(() => say('later'), 300);
        say(String(await channel.recv()));
      });
      await sleep(1 * millisecond);
      host.pause(100 * millisecond);
      await channel.send('message');
      await sleep(1 * second);
      return lines;
    });
    expect(log.map((line) => line.split(' ')[0])).to.have.members(['timer', 'message', 'later']);
    expect(log.find((line) => line.startsWith('timer'))).to.match(/^timer 101/);
    expect(log.at(-1)).to.equal('later 300');
  });

  it('reach each other by name and address, and a crash resets connections', () => {
    const end = simulated(async (sim) => {
      const server = sim.host('server', () => {
        net.createServer(() => undefined).listen(80);
      });
      await server.ready;
      const socket = net.connect(80, 'server');
      const over = new Promise((resolve) => socket.on('error', resolve));
      await new Promise((resolve) => socket.on('connect', resolve));
      expect(socket.remoteAddress).to.equal(server.address);
      await server.crash();
      return ((await over) as NodeJS.ErrnoException).code;
    });
    expect(end).to.equal('ECONNRESET');
  });

  it('a crash loses what was not synced, and the next process has the disk as it is', () => {
    const left = new Set<string>();
    for (let seed = 1; seed <= 12; seed++) {
      const text = simulated(async (sim) => {
        const found: string[] = [];
        const host = sim.host('db', async () => {
          const before = fs.existsSync('/tmp/safe') ? fs.readFileSync('/tmp/safe', 'utf8') : '-';
          found.push(`${before}${fs.existsSync('/tmp/lazy') ? '+' : ''}`);
          const file = fs.openSync('/tmp/safe', 'w');
          fs.writeSync(file, 'safe');
          fs.fsyncSync(file);
          fs.closeSync(file);
          fs.writeFileSync('/tmp/lazy', 'not synced');
        });
        await host.ready;
        expect(fs.existsSync('/tmp/safe')).to.equal(false);
        await host.crash();
        await host.restart();
        return found.join(' ');
      }, seed);
      left.add(text);
    }
    expect([...left].every((text) => text.startsWith('- safe'))).to.equal(true);
    expect(left.size).to.equal(2);
  });

  it('are cut off from each other, and healed', () => {
    const at = simulated(async (sim) => {
      const server = sim.host('server', () => {
        net.createServer((socket) => socket.end('hello')).listen(80);
      });
      await server.ready;
      sim.partition('localhost', 'server');
      setTimeout(() => sim.heal(), 2000);
      const socket = net.connect(80, 'server');
      await new Promise((resolve) => socket.on('data', resolve));
      return sim.now;
    });
    expect(at).to.be.greaterThan(2 * second);
  });

  it('have names and addresses of their own', () => {
    simulated(async (sim) => {
      const nothing = (): void => undefined;
      const one = sim.host('a', nothing);
      expect([one.name, one.address]).to.deep.equal(['a', '10.0.0.2']);
      expect(() => sim.host('a', nothing)).to.throw(RangeError, 'already');
      expect(() => sim.host('b', nothing, { address: '10.0.0.2' })).to.throw('already');
      expect(() => sim.host('b', nothing, { address: 'here' })).to.throw('no IPv4 address');
      expect(() => sim.host('', nothing)).to.throw(TypeError, 'the name');
      expect(() => sim.host('b', './b.ts')).to.throw('only a test run of detsim compiles');
      expect(() => sim.host('b', nothing, { clock: { drift: 2 } })).to.throw('clock.drift');
      expect(() => sim.host('b', nothing, { faults: { reset: 3 } })).to.throw('"reset" must be');
      await one.ready;
    });
  });

  it('until waits for a condition, and says when it does not come true', () => {
    simulated(async (sim) => {
      let done = false;
      setTimeout(() => (done = true), 500);
      await sim.until('done', () => done, 1 * second);
      expect(sim.now).to.be.within(500 * millisecond, 501 * millisecond);
      const error = await sim.until('never', () => false, 1 * second).catch((e: unknown) => e);
      expect(String(error)).to.include('"never" did not come true within 1 s');
    });
  });
});

describe('crashes by the seed', function () {
  this.timeout(20_000);

  /** How often a host has started that makes connections all the time. */
  function starts(seed: number, rate: number): number {
    return simulated(async (sim) => {
      let count = 0;
      const host: SimulatedHost = sim.host(
        'writer',
        async () => {
          count++;
          for (let i = 0; i < 40; i++) {
            const socket = net
              .connect(80, 'server')
              .resume()
              .on('error', () => undefined);
            await new Promise((resolve) => socket.on('close', resolve));
          }
        },
        { faults: { crash: rate } },
      );
      sim.host('server', () => void net.createServer((socket) => socket.end('x')).listen(80));
      await sleep(4 * second);
      expect(host.running || count > 0).to.equal(true);
      return count;
    }, seed);
  }

  it('happen at operations, at their rate, and the host comes back', () => {
    expect(starts(1, 0)).to.equal(1);
    expect(starts(0, 0.1)).to.equal(1);
    expect(starts(1, 0.1)).to.be.greaterThan(2);
    expect(starts(1, 0.1)).to.equal(starts(1, 0.1));
  });
});
