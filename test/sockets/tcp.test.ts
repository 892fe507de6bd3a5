/**
 * TCP connections inside a simulation.
 */

import net from 'node:net';
import { expect } from 'chai';
import { simulate } from '../node/simulate.js';

describe('simulated TCP', () => {
  it('carries bytes both ways, and ends', () => {
    const { log, errors } = simulate((write) => {
      const server = net.createServer((socket) => {
        socket.on('data', (data) => socket.write(`echo ${String(data)}`));
        socket.on('end', () => socket.end('bye'));
        socket.on('close', () => server.close(() => write('closed')));
      });
      server.listen(0, () => {
        const client = net.connect((server.address() as net.AddressInfo).port);
        client.on('connect', () => client.write('hello'));
        client.on('data', (data) => (write(String(data)), client.end()));
        client.on('close', (failed) => write(failed));
      });
    });
    expect(errors).to.deep.equal([]);
    expect(log).to.deep.equal(['echo hello', 'closed', 'bye', false]);
  });

  it('refuses where nobody listens', () => {
    const { log } = simulate((write) => {
      net.connect(1, '127.0.0.1').on('error', (error) => write(error.message));
    });
    expect(log).to.deep.equal(['connect ECONNREFUSED 127.0.0.1:1']);
  });

  it('gives a socket its timeout by virtual time', () => {
    const { log } = simulate((write, { loop }) => {
      const server = net
        .createServer(() => {})
        .listen(0, () => {
          const client = net.connect((server.address() as net.AddressInfo).port);
          client.setTimeout(60_000, () => (write(Math.round(loop.now / 1e9)), client.destroy()));
        });
    });
    expect(log).to.deep.equal([60]);
  });
});
