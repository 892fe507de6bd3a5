/**
 * Servers, and connections by a path.
 */

import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Scenarios, Tracer } from '../tracer.js';
import { portOf } from './pair.js';

let paths = 0;

/** A path that no socket has yet. */
function socketPath(): string {
  return path.join(os.tmpdir(), `detsim-${process.pid}-${++paths}.sock`);
}

function server(t: Tracer, who: string, onConnection?: (socket: net.Socket) => void): net.Server {
  const made = net.createServer(onConnection);
  return t.watch(who, made, 'listening', 'connection', 'error', 'close', 'drop');
}

export const servers: Scenarios = {
  'listen and close': (t) => {
    const one = server(t, 'server');
    t.note('server', one.listening, one.address());
    one.listen(0, '127.0.0.1', () => {
      t.note('server', one.listening);
      one.close((error) => t.note('server', 'closed', error));
      t.note('server', one.listening, one.address());
    });
    t.note('server', one.listening);
  },

  'the events of listening and immediates': (t) => {
    server(t, 'server').listen(0, '127.0.0.1', function (this: net.Server) {
      setImmediate(() => t.note('server', 'immediate'));
      this.close();
    });
    process.nextTick(() => t.note('server', 'tick'));
    setImmediate(() => t.note('server', 'first immediate'));
  },

  'a port that is taken': (t) => {
    const one = server(t, 'one').listen(0, '127.0.0.1', () => {
      const port = t.port(portOf(one), 'port');
      server(t, 'two')
        .listen(port, '127.0.0.1')
        .on('error', () => one.close());
    });
  },

  'a port that is taken for every address': (t) => {
    const one = server(t, 'one').listen(0, () => {
      const port = t.port(portOf(one), 'port');
      server(t, 'two')
        .listen(port)
        .on('error', () => one.close());
    });
  },

  'a port is free again': (t) => {
    const one = server(t, 'one').listen(0, '127.0.0.1', () => {
      const port = portOf(one);
      one.close(() => {
        const two = server(t, 'two').listen(port, '127.0.0.1', () => two.close());
      });
    });
  },

  'a port is free at once': (t) => {
    const one = server(t, 'one').listen(0, '127.0.0.1', () => {
      const port = portOf(one);
      one.close();
      const two = server(t, 'two').listen(port, '127.0.0.1', () => two.close());
    });
  },

  'listen twice': (t) => {
    const one = server(t, 'server').listen(0, '127.0.0.1', () => one.close());
    try {
      one.listen(0);
    } catch (error) {
      t.note('thrown', (error as NodeJS.ErrnoException).code);
    }
  },

  'listen again': (t) => {
    const one = server(t, 'server');
    let times = 0;
    one.on('listening', () => one.close());
    one.on('close', () => ++times < 3 && one.listen(0, '127.0.0.1'));
    one.listen(0, '127.0.0.1');
  },

  'an address that is not of this machine': (t) => {
    server(t, 'server').listen(8080, '192.0.2.1');
  },

  'close without listening': (t) => {
    server(t, 'server').close((error) => t.note('callback', error));
  },

  'closes when the last connection has ended': (t) => {
    const one = server(t, 'server', (socket) => {
      socket.resume();
      one.close(() => t.note('server', 'closed'));
      one.getConnections((error, count) => t.note('server', 'connections', error, count));
      setTimeout(() => (t.note('server', 'ends'), socket.end()), 5);
    });
    one.listen(0, '127.0.0.1', () => net.connect(portOf(one), '127.0.0.1').resume());
  },

  'refuses when it is closed': (t) => {
    const one = server(t, 'server', (socket) => {
      one.close();
      const port = t.port(portOf(one) ?? 0, 'port');
      t.note('port', port > 0);
      socket.end();
    });
    one.removeAllListeners('connection');
    one.on('connection', (socket: net.Socket) => {
      const { port } = one.address() as net.AddressInfo;
      t.port(port, 'port');
      one.close();
      socket.end();
      t.socket('late', net.connect(port, '127.0.0.1'));
    });
    one.listen(0, '127.0.0.1', () => net.connect(portOf(one), '127.0.0.1').resume());
  },

  'the most connections': (t) => {
    const one = server(t, 'server', (socket) => socket.resume());
    one.removeAllListeners('drop');
    one.on('drop', () => t.note('server', 'dropped'));
    one.maxConnections = 1;
    one.listen(0, '127.0.0.1', () => {
      const first = net.connect(portOf(one), '127.0.0.1', () => {
        const second = net.connect(portOf(one), '127.0.0.1');
        t.socket('second', second).resume();
        second.on('close', () => (first.destroy(), one.close()));
      });
    });
  },

  'pauses what connects': (t) => {
    const one = net.createServer({ pauseOnConnect: true }, (socket) => {
      t.socket('socket', socket);
      t.note('socket', socket.isPaused());
      setTimeout(() => (t.note('socket', 'goes on'), socket.resume()), 5);
      one.close();
    });
    one.listen(0, '127.0.0.1', () => net.connect(portOf(one), '127.0.0.1').end('early'));
  },

  'an abort signal closes it': (t) => {
    const abort = new AbortController();
    const one = server(t, 'server');
    one.listen({ port: 0, host: '127.0.0.1', signal: abort.signal }, () => abort.abort());
  },

  'several clients in turn': (t) => {
    const one = server(t, 'server', (socket) => socket.end('hello'));
    one.listen(0, '127.0.0.1', () => {
      let left = 3;
      const next = (): void => {
        if (left-- === 0) return void one.close();
        t.socket(`client ${left}`, net.connect(portOf(one), '127.0.0.1')).on('close', next);
      };
      next();
    });
  },

  'many clients at once': (t) => {
    const one = net.createServer((socket) => socket.on('data', (data) => socket.end(data)));
    one.listen(0, '127.0.0.1', () => {
      let left = 20;
      for (let i = 0; i < 20; i++) {
        const client = net.connect(portOf(one), '127.0.0.1', () => client.write(`client ${i}`));
        t.socket(`client ${i}`, client).on('close', () => --left === 0 && one.close());
      }
    });
  },

  'a path': (t) => {
    const at = socketPath();
    const one = server(t, 'server', (socket) => {
      t.note('server', socket.remoteAddress, socket.address());
      socket.end('by a path');
      one.close();
    });
    one.listen(at, () => {
      t.note('server', one.address() === at);
      const client = t.socket('client', net.connect(at));
      client.on('connect', () => t.note('client', client.remoteAddress, client.address()));
    });
  },

  'a path by options': (t) => {
    const at = socketPath();
    const one = server(t, 'server', (socket) => (socket.pipe(socket), one.close()));
    one.listen({ path: at, readableAll: true, writableAll: true }, () => {
      t.socket('client', net.connect({ path: at })).end('echo');
    });
  },

  'a path that nothing has': (t) => {
    const at = socketPath();
    const client = net.connect(at);
    client.on('error', (error) => t.note('client', error.message.replace(at, 'PATH')));
    t.watch('client', client, 'close');
  },

  'a path that is taken': (t) => {
    const at = socketPath();
    const one = server(t, 'one').listen(at, () => {
      const two = net.createServer().listen(at);
      two.on('error', (error) => {
        t.note('two', error.message.replace(at, 'PATH'), (error as NodeJS.ErrnoException).code);
        one.close();
      });
    });
  },

  'a path is free again': (t) => {
    const at = socketPath();
    const one = server(t, 'one').listen(at, () => {
      one.close(() => {
        const two = server(t, 'two').listen(at, () => two.close());
      });
    });
  },

  'a path of nothing but a file': (t) => {
    t.note('path', fs.existsSync(socketPath()));
  },
};
