/**
 * How connections end, and break.
 */

import net from 'node:net';
import type { Scenarios } from '../tracer.js';
import { pair, portOf } from './pair.js';

const later = (run: () => void, milliseconds = 5) => setTimeout(run, milliseconds);

export const ending: Scenarios = {
  'the server ends first': (t) => {
    pair(
      t,
      (socket) => socket.resume().end('bye'),
      (client) => client.resume(),
    );
  },

  'half open on both sides': (t) => {
    pair(
      t,
      (socket) => socket.on('end', () => later(() => socket.end('late answer'))),
      (client) => client.end('question'),
      { server: { allowHalfOpen: true }, client: { allowHalfOpen: true } },
    );
  },

  'half open on the side of the server': (t) => {
    pair(
      t,
      (socket) => socket.on('end', () => (socket.write('one'), later(() => socket.end(' two')))),
      (client) => client.end(),
      { server: { allowHalfOpen: true } },
    );
  },

  'a write after the other side has ended': (t) => {
    pair(
      t,
      (socket) => socket.on('end', () => later(() => socket.write('too late'))),
      (client) => client.end(),
    );
  },

  'a write after the end': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => {
        client.end();
        client.write('more', (error) => t.note('callback', error));
      },
    );
  },

  'a write after it was destroyed': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => {
        client.destroy();
        client.write('more', (error) => t.note('callback', error));
      },
    );
  },

  'destroyed by the client': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => client.destroy(),
    );
  },

  'destroyed with an error': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => client.destroy(new Error('enough')),
    );
  },

  'destroyed twice': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => client.destroy().destroy(new Error('again')),
    );
  },

  'destroyed soon': (t) => {
    pair(
      t,
      (socket) => socket.on('data', () => {}),
      (client) => {
        client.write('last words');
        client.destroySoon();
      },
    );
  },

  'reset by the client': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => client.resetAndDestroy(),
    );
  },

  'reset by the server': (t) => {
    pair(
      t,
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      (client) => client.resume().write('one'),
    );
  },

  'reset before it is connected': (t) => {
    const server = net.createServer((socket) => {
      t.watch('server', socket, 'error', 'end').resume();
      server.close();
    });
    server.listen(0, '127.0.0.1', () => {
      const client = net.connect(portOf(server), '127.0.0.1');
      t.socket('client', client).resetAndDestroy();
    });
  },

  'closed with bytes that nobody has read': (t) => {
    pair(
      t,
      (socket) => {
        socket.removeAllListeners('data');
        socket.pause();
        later(() => socket.destroy(), 10);
      },
      (client) => client.resume().write('never read'),
    );
  },

  'the server is gone when the client writes': (t) => {
    pair(
      t,
      (socket) => socket.destroy(),
      (client) => {
        later(() => client.write('one'));
        later(() => client.write('two'), 15);
      },
      { client: { allowHalfOpen: true } },
    );
  },

  'nobody listens to an error': (t) => {
    pair(
      t,
      (socket) => (socket.removeAllListeners('error'), socket.resume()),
      (client) => client.resetAndDestroy(),
    );
  },

  'a timeout': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => {
        client.setTimeout(20, () => t.note('client', 'callback'));
        client.on('timeout', () => client.end());
      },
    );
  },

  'a timeout that is put off by bytes': (t) => {
    pair(
      t,
      (socket) => {
        for (const at of [10, 20, 30]) later(() => socket.write('.'), at);
        later(() => socket.end(), 150);
      },
      (client) => client.setTimeout(60),
    );
  },

  'a timeout that is taken back': (t) => {
    pair(
      t,
      (socket) => later(() => socket.end(), 30),
      (client) => {
        client.setTimeout(10);
        t.note('client', client.timeout);
        client.setTimeout(0);
        t.note('client', client.timeout);
      },
    );
  },

  'a timeout of a socket that does not connect': (t) => {
    const client = new net.Socket();
    t.socket('client', client).setTimeout(5, () => client.destroy());
    later(() => t.note('client', 'later'), 50); // The timer of a socket alone keeps nothing alive.
    try {
      client.setTimeout(-1);
    } catch (error) {
      t.note('thrown', (error as NodeJS.ErrnoException).code);
    }
  },

  'the order of events and immediates': (t) => {
    pair(
      t,
      (socket) => {
        socket.on('data', () => {
          setImmediate(() => t.note('server', 'immediate'));
          process.nextTick(() => t.note('server', 'tick'));
        });
      },
      (client) => client.end('x'),
    );
  },
};
