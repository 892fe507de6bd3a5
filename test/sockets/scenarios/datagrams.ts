/**
 * Datagrams.
 */

import dgram from 'node:dgram';
import type { Scenarios, Tracer } from '../tracer.js';

function socket(t: Tracer, who: string, options: dgram.SocketOptions | dgram.SocketType = 'udp4') {
  const made = dgram.createSocket(options as dgram.SocketOptions);
  return t.watch(who, made, 'listening', 'message', 'error', 'close', 'connect');
}

export const datagrams: Scenarios = {
  'a datagram and an answer': (t) => {
    const server = socket(t, 'server');
    server.on('message', (message, from) => server.send(`answer to ${String(message)}`, from.port));
    server.bind(0, '127.0.0.1', () => {
      const client = socket(t, 'client');
      client.on('message', () => (client.close(), server.close()));
      client.send('question', server.address().port, '127.0.0.1', (error, bytes) =>
        t.note('client', 'sent', error, bytes),
      );
    });
  },

  'the size of what comes': (t) => {
    const server = socket(t, 'server');
    server.on('message', (_message, { size, family, address }) => {
      t.note('server', size, family, address);
      server.close();
    });
    server.bind(0, '127.0.0.1', () => {
      const client = dgram.createSocket('udp4');
      client.send([Buffer.from('two '), Buffer.from('parts')], server.address().port, () =>
        client.close(),
      );
    });
  },

  'an address for everything': (t) => {
    const one = socket(t, 'one').bind(() => {
      const { address, family, port } = one.address();
      t.note('one', address, family, port > 0);
      one.close();
    });
  },

  'IPv6 datagrams': (t) => {
    const server = socket(t, 'server', 'udp6');
    server.on('message', () => server.close());
    server.bind(0, '::1', () => {
      const client = dgram.createSocket('udp6');
      client.send('six', server.address().port, '::1', () => client.close());
    });
  },

  'connected sockets': (t) => {
    const server = socket(t, 'server');
    server.on('message', (message, from) => server.send(message, from.port, '127.0.0.1'));
    server.bind(0, '127.0.0.1', () => {
      const client = socket(t, 'client');
      const { port } = server.address();
      client.on('message', () => (client.disconnect(), client.close(), server.close()));
      client.connect(port, '127.0.0.1', () => {
        const remote = client.remoteAddress();
        t.note('client', remote.address, remote.family, remote.port === port);
        client.send('connected');
      });
    });
  },

  'a port that is bound': (t) => {
    const one = socket(t, 'one').bind(0, '127.0.0.1', () => {
      const port = t.port(one.address().port, 'port');
      const two = socket(t, 'two').bind(port, '127.0.0.1');
      two.on('error', () => (one.close(), two.close()));
    });
  },

  'a port that is shared': (t) => {
    const options = { type: 'udp4', reuseAddr: true } as const;
    const one = socket(t, 'one', options).bind(0, () => {
      const two = socket(t, 'two', options).bind(one.address().port, () => {
        t.note('two', two.address().port === one.address().port);
        one.close();
        two.close();
      });
    });
  },

  'an address that is not of this machine, for datagrams': (t) => {
    const one = socket(t, 'one').bind(8080, '192.0.2.1');
    one.on('error', () => one.close());
  },

  'a datagram that is too large': (t) => {
    const one = socket(t, 'one').bind(0, '127.0.0.1', () => {
      t.port(one.address().port, 'port');
      one.send(Buffer.alloc(70_000), one.address().port, '127.0.0.1', (error) => {
        t.note('one', error);
        one.close();
      });
    });
  },

  'sends before it is bound': (t) => {
    const server = socket(t, 'server').bind(0, '127.0.0.1', () => {
      const client = socket(t, 'client');
      const { port } = server.address();
      client.send('one', port, '127.0.0.1');
      client.send('two', port, '127.0.0.1', () => client.close());
      let left = 2;
      server.on('message', () => --left === 0 && server.close());
    });
  },

  'bound twice, and closed twice': (t) => {
    const one = socket(t, 'one').bind(0, () => one.close());
    for (const run of [() => one.bind(0), () => (one.close(), one.close())]) {
      try {
        run();
      } catch (error) {
        t.note('thrown', (error as NodeJS.ErrnoException).code);
      }
    }
  },

  'connected twice': (t) => {
    const one = socket(t, 'one');
    one.connect(9, '127.0.0.1', () => one.close());
    try {
      one.connect(9);
    } catch (error) {
      t.note('thrown', (error as NodeJS.ErrnoException).code);
    }
  },

  'settings of a socket': (t) => {
    const one = socket(t, 'one').bind(0, () => {
      one.setBroadcast(true);
      one.setTTL(16);
      one.setMulticastTTL(1);
      one.setMulticastLoopback(true);
      t.note('one', one.getSendQueueSize(), one.getSendQueueCount());
      for (const run of [() => one.setTTL(1000), () => one.addMembership('127.0.0.1')]) {
        try {
          run();
        } catch (error) {
          t.note('thrown', (error as NodeJS.ErrnoException).code);
        }
      }
      one.close();
    });
  },

  'a name': (t) => {
    const server = socket(t, 'server').bind(0, 'localhost', () => {
      const client = socket(t, 'client');
      client.send('by name', server.address().port, 'localhost', () => client.close());
      server.on('message', () => server.close());
    });
  },

  'an abort signal closes a datagram socket': (t) => {
    const abort = new AbortController();
    socket(t, 'one', { type: 'udp4', signal: abort.signal }).bind(0, () => abort.abort());
  },
};
