/**
 * TLS: real certificates and keys, which a client trusts or not.
 */

import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import type { Scenarios, Tracer } from '../tracer.js';
import { portOf } from './pair.js';

const fixtures = path.join(__dirname, '../../../../test/fixtures/sockets');
const key = fs.readFileSync(path.join(fixtures, 'key.pem'));
const cert = fs.readFileSync(path.join(fixtures, 'cert.pem'));

/** Starts a server that takes one connection, and connects to it. */
function secure(
  t: Tracer,
  accepted: (socket: tls.TLSSocket) => void,
  connected: (socket: tls.TLSSocket) => void,
  options: tls.ConnectionOptions = {},
  server: tls.TlsOptions = {},
): void {
  const one = tls.createServer({ key, cert, ...server }, (socket) => {
    accepted(t.socket('server', socket));
  });
  t.watch('listener', one, 'tlsClientError');
  one.on('connection', () => one.close());
  one.listen(0, '127.0.0.1', () => {
    const { port } = one.address() as net.AddressInfo;
    t.port(port, 'port');
    const client = tls.connect({ port, host: '127.0.0.1', ca: cert, ...options });
    client.once('secureConnect', () => connected(client));
    t.socket('client', client);
  });
}

export const secureScenarios: Scenarios = {
  'TLS: an echo': (t) => {
    secure(
      t,
      (socket) => socket.pipe(socket),
      (client) => {
        t.note('client', client.authorized, client.encrypted, client.getProtocol());
        client.end('secret');
      },
    );
  },

  'TLS: many bytes': (t) => {
    secure(
      t,
      (socket) => socket.on('data', () => {}),
      (client) => client.end(Buffer.alloc(300_000)),
    );
  },

  'TLS: a question and an answer': (t) => {
    secure(
      t,
      (socket) => socket.on('data', (data) => socket.end(`answer to ${String(data)}`)),
      (client) => client.write('question', () => t.note('client', 'written')),
    );
  },

  'TLS: a certificate nobody trusts': (t) => {
    secure(
      t,
      (socket) => socket.resume().on('error', () => {}),
      (client) => client.end(),
      { ca: [] },
    );
  },

  'TLS: a certificate for another name': (t) => {
    secure(
      t,
      (socket) => socket.resume().on('error', () => {}),
      (client) => client.end(),
      { servername: 'example.com' },
    );
  },

  'TLS: whoever it is': (t) => {
    secure(
      t,
      (socket) => socket.end('hello'),
      (client) => (t.note('client', client.authorized, client.authorizationError), client.resume()),
      { ca: [], rejectUnauthorized: false },
    );
  },

  'TLS: the certificate of the peer': (t) => {
    secure(
      t,
      (socket) => socket.end(),
      (client) => (t.note('client', client.getPeerCertificate().subject), client.resume()),
    );
  },

  'TLS 1.2': (t) => {
    secure(
      t,
      (socket) => socket.end('old'),
      (client) => (t.note('client', client.getProtocol()), client.resume()),
      { maxVersion: 'TLSv1.2' },
    );
  },

  'TLS: names of protocols': (t) => {
    secure(
      t,
      (socket) => (t.note('server', socket.alpnProtocol), socket.end()),
      (client) => (t.note('client', client.alpnProtocol), client.resume()),
      { ALPNProtocols: ['b', 'a'] },
      { ALPNProtocols: ['a'] },
    );
  },

  'TLS: destroyed by the client': (t) => {
    secure(
      t,
      (socket) => socket.resume().on('error', () => {}),
      (client) => client.destroy(),
    );
  },

  'TLS over a socket that is connected': (t) => {
    const one = tls.createServer({ key, cert }, (socket) => {
      t.socket('server', socket).end('wrapped');
      one.close();
    });
    one.listen(0, '127.0.0.1', () => {
      const { port } = one.address() as net.AddressInfo;
      const socket = net.connect(port, '127.0.0.1', () => {
        t.socket('client', tls.connect({ socket, ca: cert, servername: 'localhost' })).resume();
      });
    });
  },

  'TLS is refused': (t) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const port = t.port(portOf(server), 'port');
      server.close(() => t.socket('client', tls.connect({ port, host: '127.0.0.1' })));
    });
  },
};
