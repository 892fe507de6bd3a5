/**
 * Connections that come about, and those that do not.
 */

import type dns from 'node:dns';
import net from 'node:net';
import type { Scenarios } from '../tracer.js';
import { freePort, pair, portOf } from './pair.js';

const state = (socket: net.Socket): unknown[] => [
  socket.connecting,
  socket.pending,
  socket.readyState,
  socket.destroyed,
];

export const connecting: Scenarios = {
  'connect, and end at once': (t) => {
    pair(
      t,
      (socket) => socket.resume(),
      (client) => client.resume().end(),
    );
  },

  'the addresses of both ends': (t) => {
    pair(
      t,
      (socket) => {
        const { localAddress, localFamily, remoteAddress, remoteFamily } = socket;
        t.note('addresses', localAddress, localFamily, remoteAddress, remoteFamily);
        t.note('addresses', socket.localPort === (socket.address() as net.AddressInfo).port);
        socket.resume();
      },
      (client) => {
        const { localAddress, remoteAddress, remotePort, localFamily, remoteFamily } = client;
        t.note('client', localAddress, localFamily, remoteAddress, remoteFamily, remotePort);
        client.resume().end();
      },
    );
  },

  'the states of a socket': (t) => {
    const server = net.createServer((socket) => socket.resume());
    server.listen(0, '127.0.0.1', () => {
      const client = new net.Socket();
      t.note('client', ...state(client));
      client.connect(portOf(server), '127.0.0.1', () => {
        t.note('client', ...state(client));
        client.end();
        t.note('client', ...state(client));
        server.close();
      });
      t.note('client', ...state(client));
      client.resume().on('close', () => t.note('client', ...state(client)));
    });
  },

  'IPv4 to a server of every address': (t) => {
    const server = net.createServer((socket) => {
      t.note('server', socket.localAddress, socket.remoteAddress, socket.remoteFamily);
      socket.end();
      server.close();
    });
    server.listen(0, () => {
      t.note('server', (server.address() as net.AddressInfo).address);
      t.socket('client', net.connect(portOf(server), '127.0.0.1')).resume();
    });
  },

  'IPv6 loopback': (t) => {
    const server = net.createServer((socket) => {
      t.note('server', socket.localAddress, socket.remoteAddress, socket.remoteFamily);
      socket.end();
      server.close();
    });
    server.listen(0, '::1', () => {
      t.note('server', (server.address() as net.AddressInfo).family);
      t.socket('client', net.connect(portOf(server), '::1')).resume();
    });
  },

  'an IPv4 server is not found under IPv6': (t) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const client = net.connect(t.port(portOf(server), 'port'), '::1');
      t.socket('client', client).on('close', () => server.close());
    });
  },

  'localhost by name': (t) => {
    const server = net.createServer((socket) => (socket.end(), server.close()));
    server.listen(0, 'localhost', () => {
      const client = net.connect(portOf(server), 'localhost');
      t.socket('client', client).resume();
      client.on('ready', () => t.note('client', client.remoteAddress));
    });
  },

  'refused where nobody listens': (t) => {
    freePort(t, (port) => t.socket('client', net.connect(port, '127.0.0.1')));
  },

  'refused under a name': (t) => {
    freePort(t, (port) => t.socket('client', net.connect({ port, host: 'localhost', family: 4 })));
  },

  'refused with a local port': (t) => {
    freePort(t, (port) =>
      freePort(t, (localPort) => {
        const client = net.connect({ port, host: '127.0.0.1', localPort });
        t.port(port, 'free');
        t.port(localPort, 'local');
        t.socket('client', client);
      }),
    );
  },

  'a local address and port': (t) => {
    freePort(t, (localPort) => {
      const options = { client: { localPort, localAddress: '127.0.0.1' } };
      pair(
        t,
        (socket) => (t.note('remote', socket.remotePort === localPort), socket.resume()),
        (client) => client.resume().end(),
        options,
      );
    });
  },

  'a local address that is none': (t) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const port = t.port(portOf(server), 'port');
      const client = net.connect({ port, host: '127.0.0.1', localAddress: '192.0.2.7' });
      t.socket('client', client).on('close', () => server.close());
    });
  },

  'a local port that is taken': (t) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const port = t.port(portOf(server), 'port');
      const client = net.connect({
        port,
        localPort: port,
        host: '127.0.0.1',
        localAddress: '127.0.0.1',
      });
      t.socket('client', client).on('close', () => server.close());
    });
  },

  'destroyed while it connects': (t) => {
    const server = net.createServer((socket) => t.socket('server', socket).resume());
    server.listen(0, '127.0.0.1', () => {
      const client = t.socket('client', net.connect(portOf(server), '127.0.0.1'));
      client.on('close', () => server.close());
      client.destroy();
    });
  },

  'destroyed with an error while it connects': (t) => {
    freePort(t, (port) => {
      const client = t.socket('client', net.connect(port, '127.0.0.1'));
      client.destroy(new Error('enough'));
    });
  },

  'written to while it connects': (t) => {
    const server = net.createServer((socket) => (t.socket('server', socket), server.close()));
    server.listen(0, '127.0.0.1', () => {
      const client = t.socket('client', net.connect(portOf(server), '127.0.0.1'));
      t.note(
        'client',
        client.write('early', () => t.note('client', 'written')),
        client.bytesWritten,
      );
      client.end();
    });
  },

  'connects again after it was closed': (t) => {
    let times = 0;
    const server = net.createServer((socket) => socket.end(`hello ${++times}`));
    server.listen(0, '127.0.0.1', () => {
      const client = t.socket('client', new net.Socket());
      const go = () => client.connect(portOf(server), '127.0.0.1');
      client.on('close', () => (times < 2 ? go() : server.close()));
      go();
    });
  },

  'an abort signal': (t) => {
    const server = net.createServer((socket) => socket.on('error', () => {}));
    server.listen(0, '127.0.0.1', () => {
      const abort = new AbortController();
      const client = new net.Socket({ signal: abort.signal });
      t.socket('client', client).on('close', () => server.close());
      client.connect(portOf(server), '127.0.0.1', () => abort.abort());
    });
  },

  'a signal that was aborted before': (t) => {
    const client = new net.Socket({ signal: AbortSignal.abort() });
    t.socket('client', client);
  },

  'a lookup of the program': (t) => {
    const server = net.createServer((socket) => (socket.end(), server.close()));
    server.listen(0, '127.0.0.1', () => {
      const lookup = ((
        name: string,
        options: dns.LookupOptions,
        answer: (...args: any[]) => void,
      ) => {
        t.note('lookup', name, options.all);
        if (options.all) answer(null, [{ address: '127.0.0.1', family: 4 }]);
        else answer(null, '127.0.0.1', 4);
      }) as net.LookupFunction;
      t.socket(
        'client',
        net.connect({ port: portOf(server), host: 'some.where', lookup }),
      ).resume();
    });
  },

  'the second address of two': (t) => {
    const server = net.createServer((socket) => (socket.end(), server.close()));
    server.listen(0, '127.0.0.1', () => {
      const lookup = ((_name: string, _options: object, answer: (...args: any[]) => void) => {
        answer(null, [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ]);
      }) as net.LookupFunction;
      const options = { port: portOf(server), host: 'two', lookup, autoSelectFamily: true };
      const client = t.socket('client', net.connect(options)).resume();
      t.port(portOf(server), 'port');
      t.watch('client', client, 'connectionAttempt', 'connectionAttemptFailed');
      client.on('connect', () => t.note('client', client.autoSelectFamilyAttemptedAddresses));
    });
  },

  'neither address of two': (t) => {
    freePort(t, (port) => {
      const lookup = ((_name: string, _options: object, answer: (...args: any[]) => void) => {
        answer(null, [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ]);
      }) as net.LookupFunction;
      t.socket('client', net.connect({ port, host: 'two', lookup, autoSelectFamily: true }));
    });
  },

  'a lookup that fails': (t) => {
    const lookup = ((_name: string, _options: object, answer: (error: Error) => void) => {
      process.nextTick(answer, new Error('no such thing'));
    }) as net.LookupFunction;
    t.socket('client', net.connect({ port: 1, host: 'some.where', lookup }));
  },

  'options that are wrong': (t) => {
    for (const options of [{}, { port: 70_000 }, { port: true }, { port: 1, localAddress: 'x' }]) {
      try {
        net.connect(options as never);
      } catch (error) {
        t.note('thrown', (error as Error).name, (error as NodeJS.ErrnoException).code);
      }
    }
  },

  'a list of addresses that are blocked': (t) => {
    const blockList = new net.BlockList();
    blockList.addAddress('127.0.0.1');
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const client = new net.Socket({ blockList } as net.SocketConstructorOpts);
      t.port(portOf(server), 'port');
      t.socket('client', client).on('close', () => server.close());
      client.connect(portOf(server), '127.0.0.1').on('connect', () => client.destroy());
    });
  },
};
