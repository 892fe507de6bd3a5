/**
 * Several hosts: their addresses, what comes of a crash and of a cut, and the faults of
 * connections.
 */

import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { expect } from 'chai';
import { UncontrolledError } from '../../runtime/errors.js';
import { noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { NODE } from '../../runtime/kernel/rung.js';
import { Host } from '../../runtime/node/host.js';
import type { SocketFaults } from '../../runtime/node/faults.js';
import { SimulatedNetwork } from '../../runtime/node/sockets/network.js';
import { HostSockets } from '../../runtime/node/sockets/ports.js';
import { unknownSite } from '../../runtime/tasks/sites.js';
import type { Scheduler } from '../../runtime/tasks/scheduler.js';
import { simulate } from '../node/simulate.js';

const SECOND = 1e9;

/** A host on which `main` runs. */
function host(scheduler: Scheduler, name: string, address: string, main: () => void): Host {
  const made = new Host(scheduler, name, address);
  const { current } = scheduler;
  const task = scheduler.childTask(current.task, name, 1);
  task.host = made;
  scheduler.runEvent(task, unknownSite, undefined, main);
  scheduler.current = current;
  return made;
}

const echo = (): net.Server =>
  net.createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(3000);

/** Every fault that has a rate strikes, from the `from`-th time on. */
const striking = (from = 1): Strategy => ({
  ...noDeviation,
  strikes: (_kind, _key, occurrence, rate) => rate > 0.1 && occurrence >= from,
  latency: (_kind, _key, _occurrence, spread) => spread(0.5),
});

/** Connects to an echo server under faults, writes three times, and tells what happens. */
function underFaults(sockets: SocketFaults, strategy = striking()): unknown[] {
  const run = (write: (...values: unknown[]) => void, scheduler: Scheduler): void => {
    scheduler.faults = { files: {}, sockets };
    host(scheduler, 'db', '10.0.0.2', echo);
    const client = net.connect(3000, 'db', () => client.write('one'));
    let count = 0;
    client.on('data', (data) => {
      write(String(data));
      if (++count < 3) client.write(['two', 'three'][count - 1]);
      else client.end();
    });
    client.setTimeout(60_000, () => client.destroy());
    for (const event of ['error', 'timeout', 'close']) {
      client.on(event, (error) => write(error instanceof Error ? error.message : event));
    }
    client.on('close', () => write(Math.round(scheduler.loop.now / SECOND)));
  };
  return simulate(run, { rung: NODE, strategy }).log;
}

describe('sockets of several hosts', () => {
  it('each host has its own ports, and is found by name and by address', () => {
    const { log, errors } = simulate((write, scheduler) => {
      const hello = (text: string) => () =>
        void net
          .createServer((socket) => {
            write(socket.remoteAddress, socket.localAddress);
            socket.end(text);
          })
          .listen(3000, '0.0.0.0');
      host(scheduler, 'db', '10.0.0.2', hello('from db'));
      host(scheduler, 'api', '10.0.0.3', hello('from api'));
      const read = (name: string) =>
        net.connect(3000, name).on('data', (data) => write(String(data)));
      read('db');
      net.connect(3000, '127.0.0.1').on('error', (error) => write(error.message));
      dns.lookup('api', (_error, address) => (write(address), read(address)));
      dns.reverse('10.0.0.2', (_error, found) => write(...found));
    });
    expect(errors).to.deep.equal([]);
    expect(log).to.deep.equal([
      '10.0.0.3',
      'connect ECONNREFUSED 127.0.0.1:3000',
      '10.0.0.1',
      '10.0.0.2',
      '10.0.0.1',
      '10.0.0.3',
      'db',
      'from db',
      'from api',
    ]);
  });

  it('resets the connections of a host that crashes', () => {
    const { log } = simulate((write, scheduler) => {
      const db = host(scheduler, 'db', '10.0.0.2', echo);
      const client = net.connect(3000, 'db', () => {
        db.part(HostSockets).crash();
        net.connect(3000, 'db').on('error', (error) => write(error.message));
      });
      client.on('error', (error) => write(error.message));
    });
    expect(log).to.deep.equal(['read ECONNRESET', 'connect ECONNREFUSED 10.0.0.2:3000']);
  });

  it('holds bytes up while hosts are cut off, and goes on when that has healed', () => {
    const { log } = simulate((write, scheduler) => {
      const network = SimulatedNetwork.of(scheduler);
      host(scheduler, 'db', '10.0.0.2', echo);
      const client = net.connect(3000, 'db', () => {
        network.partition('localhost', 'db');
        client.write('late');
        setTimeout(() => network.heal('localhost', 'db'), 5000);
      });
      client.on('data', (data) => write(String(data), Math.round(scheduler.loop.now / SECOND)));
    });
    expect(log).to.deep.equal(['late', 5]);
  });

  it('gives up when nobody answers', () => {
    const { log } = simulate((write, scheduler) => {
      host(scheduler, 'db', '10.0.0.2', echo);
      const connected = net.connect(3000, 'db', () => {
        SimulatedNetwork.of(scheduler).partition('localhost', 'db');
        connected.write('into the void');
        net.connect(3000, '10.0.0.2').on('error', told);
      });
      const told = (error: Error): void =>
        write(error.message, Math.round(scheduler.loop.now / SECOND));
      connected.on('error', told);
    });
    expect(log).to.deep.equal(['connect ETIMEDOUT 10.0.0.2:3000', 127, 'read ETIMEDOUT', 924]);
  });

  it('names the site of what leaves the simulation', () => {
    const { log, scheduler } = simulate((write) => {
      try {
        net.connect(80, 'example.com');
      } catch (error) {
        write(error);
      }
      const lookup = ((_name: string, _options: object, answer: (...args: any[]) => void) =>
        answer(null, '192.0.2.1', 4)) as net.LookupFunction;
      const options = { port: 80, host: 'x', lookup, autoSelectFamily: false };
      net.connect(options).on('error', (error) => write(error));
    });
    expect(log).to.have.length(2);
    for (const error of log) expect(error).to.be.instanceOf(UncontrolledError);
    expect((log[0] as Error).message).to.match(/hosts\.test\.js:\d+:\d+ leaves the simulation/);
    expect((log[1] as Error).message).to.include('192.0.2.1');
    expect(scheduler.uncontrolled.size).to.be.greaterThan(0);
  });
});

describe('faults of connections', () => {
  it('none strikes by default', () => {
    expect(underFaults({})).to.deep.equal(['one', 'two', 'three', 'close', 0]);
  });

  it('a connection is reset', () => {
    const log = underFaults({ reset: 0.5 }, striking(2));
    expect(log).to.deep.equal(['one', 'read ECONNRESET', 'close', 0]);
  });

  it('a connection is refused', () => {
    const log = underFaults({ refuse: 0.5 });
    expect(log).to.deep.equal(['connect ECONNREFUSED 10.0.0.2:3000', 'close', 0]);
  });

  it('the peer goes without a word', () => {
    expect(underFaults({ halfOpen: 0.5 }, striking(2))).to.deep.equal([
      'one',
      'timeout',
      'close',
      60,
    ]);
  });

  it('bytes take their time', () => {
    const latency = { min: SECOND, max: 3 * SECOND };
    expect(underFaults({ latency }).at(-1)).to.equal(20);
  });

  it('a line carries so many bytes a second', () => {
    expect(underFaults({ bandwidth: 2 }).at(-1)).to.be.within(10, 12);
  });

  it('a name is not found', () => {
    expect(underFaults({ nameFailure: 0.5 })[0]).to.equal('getaddrinfo EAI_AGAIN db');
  });

  it('a write arrives in two parts', () => {
    const strategy = { ...noDeviation, strikes: () => true, value: () => 0.5 };
    expect(underFaults({}, strategy).slice(0, 2)).to.deep.equal(['o', 'ne']);
  });

  it('datagrams are lost, doubled, and overtake', () => {
    const seen = (sockets: SocketFaults, strategy: Strategy): string => {
      const { log } = simulate(
        (write, scheduler) => {
          scheduler.faults = { files: {}, sockets };
          const server = dgram.createSocket('udp4');
          server.on('message', (message) => write(String(message)));
          server.bind(5000, '127.0.0.1', () => {
            const client = dgram.createSocket('udp4');
            for (const text of ['a', 'b', 'c']) client.send(text, 5000, '127.0.0.1');
          });
        },
        { rung: NODE, strategy },
      );
      return log.join('');
    };
    expect(seen({}, noDeviation)).to.equal('abc');
    expect(seen({ drop: 0.5 }, striking(2))).to.equal('a');
    expect(seen({ duplicate: 0.5 }, striking(3))).to.equal('abcc');
    const late: Strategy = {
      ...noDeviation,
      delay: ({ occurrence }) => (occurrence === 1 ? 1e6 : 0),
    };
    expect([...seen({}, late)].sort().join('')).to.equal('abc');
    expect(seen({}, late)).to.not.equal('abc');
  });
});
