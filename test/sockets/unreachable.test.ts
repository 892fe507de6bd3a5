/**
 * Names and addresses that a project says lie outside: whoever asks for one gets what a machine
 * without a way there gets, and no error of detsim's.
 */

import dgram from 'node:dgram';
import dns from 'node:dns';
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { expect } from 'chai';
import { SimulatedNetwork } from '../../runtime/node/sockets/network.js';
import { Unreachable } from '../../runtime/node/sockets/unreachable.js';
import { mochaProject, runnerOf, trial } from '../mocha/project.js';
import { simulate } from '../node/simulate.js';

/** What of an error a program looks at. */
function told(error: unknown): string {
  const { code, syscall, hostname, address } = error as Record<string, string | undefined>;
  return [code, syscall, hostname ?? address].join(' ');
}

function inSimulation(main: (note: (error: unknown) => void) => void): unknown[] {
  const { log, errors, scheduler } = simulate((write, scheduler) => {
    SimulatedNetwork.of(scheduler).unreachable = new Unreachable(['*.example.com', '192.0.2.*']);
    main((error) => write(told(error)));
  });
  expect(errors).to.deep.equal([]);
  expect(scheduler.uncontrolled.size).to.equal(0);
  return log;
}

describe('what is said to be unreachable', () => {
  const name = 'api.example.com';
  const address = '192.0.2.7';

  it('is not found, or has no way that leads there', () => {
    const log = inSimulation((note) => {
      net.connect(80, name).on('error', note);
      net.connect(80, 'API.Example.com').on('error', note);
      net.connect(80, address).on('error', note);
      tls.connect(443, name).on('error', note);
      http.get(`http://${name}/`).on('error', note);
      http.get(`http://${address}/`).on('error', note);
      dns.lookup(name, note);
      dgram.createSocket('udp4').send('x', 53, address, note);
    });
    expect(log.sort()).to.deep.equal([
      ...Array<string>(2).fill('ENETUNREACH connect 192.0.2.7'),
      'ENETUNREACH send 192.0.2.7',
      'ENOTFOUND getaddrinfo API.Example.com',
      ...Array<string>(4).fill('ENOTFOUND getaddrinfo api.example.com'),
    ]);
  });

  it('is so for fetch and for a name that the program looks up itself', () => {
    const log = inSimulation((note) => {
      fetch(`http://${name}/`).catch((error: Error) => note(error.cause));
      const lookup = ((_name: string, _options: object, answer: (...args: any[]) => void) =>
        answer(null, '198.51.100.1', 4)) as net.LookupFunction;
      net.connect({ port: 80, host: name, lookup, autoSelectFamily: false }).on('error', note);
    });
    expect(log).to.have.members([
      'ENOTFOUND getaddrinfo api.example.com',
      'ENETUNREACH connect 198.51.100.1',
    ]);
  });

  it('is a whole name, and no host of the simulation', () => {
    const list = new Unreachable(['*.Example.com', '10.*', 'db']);
    for (const one of ['a.example.com', 'A.b.EXAMPLE.com.', '10.0.0.1', '::ffff:10.0.0.1', 'DB']) {
      expect(list.has(one), one).to.equal(true);
    }
    for (const one of ['example.com', 'aXexample.com', 'a.example.com.org', '110.0.0.1', 'dbx']) {
      expect(list.has(one), one).to.equal(false);
    }
    const { log } = simulate((write, scheduler) => {
      SimulatedNetwork.of(scheduler).unreachable = new Unreachable(['*']);
      net.createServer((socket) => socket.end()).listen(3000);
      net.connect(3000, 'localhost', () => write('connected'));
    });
    expect(log).to.deep.equal(['connected']);
  });

  it('is what the config says, in a trial', async () => {
    const spec = `
      it('asks', async () => {
        const error = await fetch('http://api.example.com/').then(() => null, (error) => error);
        if (error?.cause?.code !== 'ENOTFOUND') throw error;
      });`;
    const root = mochaProject({ 'a.spec.ts': spec });
    const states = async (unreachable?: string[]): Promise<unknown[]> => {
      const { tests } = await trial(runnerOf(root, { unreachable }), `${root}/a.spec.ts`);
      return tests.map(({ state, failure }) => failure?.name ?? state);
    };
    expect(await states(['*.example.com'])).to.deep.equal(['passed']);
    expect(await states()).to.deep.equal(['UncontrolledError']);
  });
});
