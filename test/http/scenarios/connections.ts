/**
 * Connections: agents, keeping alive, upgrades, aborts, timeouts, and the end of servers.
 */

import http from 'node:http';
import net from 'node:net';
import type { Scenarios, Tracer } from '../../sockets/tracer.js';
import { ask, raw, serve, type Handler } from './serve.js';

const hello: Handler = (_request, response) => void response.end('hello');
const silent: Handler = () => {};

/** One request after another by one agent. */
function inTurn(
  t: Tracer,
  agent: http.Agent,
  port: number,
  paths: string[],
  done: () => void,
): void {
  const [path, ...rest] = paths;
  if (path === undefined) return done();
  const request = ask(t, path, { port, path, agent });
  request.on('socket', (socket) => {
    t.note('agent', path, request.reusedSocket, socket.connecting);
  });
  request.on('response', (response) => {
    response.resume();
    response.on('end', () => setTimeout(() => inTurn(t, agent, port, rest, done), 5));
  });
  request.end();
}

export const connections: Scenarios = {
  'an agent that keeps alive': (t) => {
    serve(t, {}, hello, (port, server) => {
      const agent = new http.Agent({ keepAlive: true });
      inTurn(t, agent, port, ['/1', '/2', '/3'], () => {
        t.note('agent', Object.values(agent.freeSockets).flat().length);
        agent.destroy();
        server.close();
      });
    });
  },

  'an agent that does not': (t) => {
    serve(t, {}, hello, (port, server) => {
      inTurn(t, new http.Agent({ keepAlive: false }), port, ['/1', '/2'], () => server.close());
    });
  },

  'the global agent': (t) => {
    serve(t, {}, hello, (port, server) => {
      inTurn(t, http.globalAgent, port, ['/1', '/2'], () => {
        server.closeAllConnections();
        server.close();
      });
    });
  },

  'one socket at a time': (t) => {
    serve(t, {}, hello, (port, server) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      let left = 3;
      for (const path of ['/a', '/b', '/c']) {
        const request = ask(t, path, { port, path, agent });
        request.on('response', (response) => response.resume());
        request.on('close', () => {
          t.note('order', path, request.reusedSocket);
          if (--left > 0) return;
          agent.destroy();
          server.close();
        });
        request.end();
      }
    });
  },

  'a server that allows two requests a connection': (t) => {
    const server = serve(t, {}, hello, (port) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      inTurn(t, agent, port, ['/1', '/2', '/3'], () => {
        agent.destroy();
        server.close();
      });
    });
    server.maxRequestsPerSocket = 2;
  },

  'a kept connection that is idle for too long': (t) => {
    serve(t, { keepAliveTimeout: 50 }, hello, (port, server) => {
      server.keepAliveTimeout = 50;
      const socket = net.connect(port, '127.0.0.1', () => {
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      });
      t.watch('socket', socket, 'end', 'close', 'error');
      socket.resume();
      socket.on('close', () => server.close());
    });
  },

  'continue, by default': (t) => {
    serve(
      t,
      {},
      (request, response) => request.pipe(response),
      (port, server) => {
        const headers = { Expect: '100-continue' };
        const options = { port, method: 'POST', headers };
        const request = ask(t, 'client', options, () => server.close());
        request.on('continue', () => request.end('the body'));
        request.flushHeaders();
      },
    );
  },

  'continue, refused': (t) => {
    serve(t, {}, hello, (port, server) => {
      server.on('checkContinue', (_request, response: http.ServerResponse) => {
        t.note('server', 'checkContinue');
        response.writeHead(417, { Connection: 'close' }).end();
      });
      const headers = { Expect: '100-continue' };
      const request = ask(t, 'client', { port, method: 'POST', headers }, () => server.close());
      request.on('response', () => request.destroy());
      request.flushHeaders();
    });
  },

  'another expectation': (t) => {
    serve(t, {}, hello, (port, server) => {
      ask(t, 'client', { port, headers: { Expect: 'miracles' } }, () => server.close()).end();
    });
  },

  upgrade: (t) => {
    serve(t, {}, hello, (port, server) => {
      server.on('upgrade', (request, socket, head) => {
        t.note('server', 'upgrade', request.headers.upgrade, head.length);
        socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
        socket.pipe(socket);
        socket.on('close', () => server.close());
      });
      const headers = { Connection: 'Upgrade', Upgrade: 'echo' };
      const request = ask(t, 'client', { port, headers });
      request.on('upgrade', (response, socket, head) => {
        t.note('client', 'upgrade', response.statusCode, head.length);
        t.watch('upgraded', socket, 'data', 'end', 'close');
        socket.write('ping');
        setTimeout(() => socket.end(), 20);
      });
      request.end();
    });
  },

  'upgrade that nobody takes': (t) => {
    serve(t, {}, hello, (port, server) => {
      const headers = { Connection: 'Upgrade', Upgrade: 'echo' };
      ask(t, 'client', { port, headers }, () => server.close()).end();
    });
  },

  connect: (t) => {
    serve(t, {}, hello, (port, server) => {
      server.on('connect', (request, socket) => {
        t.note('server', 'connect', request.url);
        socket.end('HTTP/1.1 200 Fine\r\n\r\n');
        socket.on('close', () => server.close());
      });
      const request = ask(t, 'client', { port, method: 'CONNECT', path: 'host:80' });
      request.on('connect', (response, socket) => {
        t.note('client', 'connect', response.statusCode);
        socket.resume();
        socket.on('end', () => socket.end());
      });
      request.end();
    });
  },

  'nobody listens': (t) => {
    const gone = net.createServer().listen(0, '127.0.0.1', () => {
      const port = t.port((gone.address() as net.AddressInfo).port, 'port');
      gone.close(() => ask(t, 'client', { port }).end());
    });
  },

  'aborted before the answer': (t) => {
    serve(t, {}, silent, (port, server) => {
      const request = ask(t, 'client', { port }, () => server.close());
      setTimeout(() => request.destroy(), 20);
      request.end();
    });
  },

  'aborted by a signal': (t) => {
    serve(t, {}, silent, (port, server) => {
      const controller = new AbortController();
      ask(t, 'client', { port, signal: controller.signal }, () => server.close()).end();
      setTimeout(() => controller.abort(), 20);
    });
  },

  'aborted at once': (t) => {
    serve(t, {}, silent, (port, server) => {
      const request = ask(t, 'client', { port }, () => server.close());
      request.destroy(new Error('never mind'));
    });
  },

  'the answer is cut off': (t) => {
    serve(
      t,
      {},
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': 100 });
        response.write('half');
        setTimeout(() => response.destroy(), 20);
      },
      (port, server) => {
        ask(t, 'client', { port }, () => server.close()).end();
      },
    );
  },

  'the server hangs up': (t) => {
    serve(
      t,
      {},
      (request) => request.socket.destroy(),
      (port, server) => {
        ask(t, 'client', { port }, () => server.close()).end();
      },
    );
  },

  'the client hangs up while it is answered': (t) => {
    serve(
      t,
      {},
      (_request, response) => {
        response.write('half');
        response.on('close', () => t.note('answer', response.writableFinished));
      },
      (port, server) => {
        const request = ask(t, 'client', { port }, () => server.close());
        request.on('response', () => setTimeout(() => request.destroy(), 10));
        request.end();
      },
    );
  },

  'a timeout of a request': (t) => {
    serve(t, {}, silent, (port, server) => {
      const request = ask(t, 'client', { port, timeout: 40 }, () => server.close());
      request.on('timeout', () => request.destroy());
      request.end();
    });
  },

  'a timeout of a response': (t) => {
    serve(
      t,
      {},
      (_request, response) => {
        response.setTimeout(40, () => {
          t.note('server', 'timeout');
          response.end('late');
        });
      },
      (port, server) => {
        ask(t, 'client', { port }, () => server.close()).end();
      },
    );
  },

  'headers that do not come': (t) => {
    const options = { headersTimeout: 60, requestTimeout: 200, connectionsCheckingInterval: 20 };
    serve(t, options, hello, (port, server) => {
      raw(t, port, 'GET / HTTP/1.1\r\nHost: ', () => server.close());
    });
  },

  'a body that does not come': (t) => {
    const options = { headersTimeout: 50, requestTimeout: 80, connectionsCheckingInterval: 20 };
    serve(t, options, silent, (port, server) => {
      const text = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12';
      raw(t, port, text, () => server.close());
    });
  },

  'a server closes while it answers': (t) => {
    serve(
      t,
      {},
      (_request, response) => setTimeout(() => response.end('still'), 20),
      (port, server) => {
        const request = ask(t, 'client', { port });
        request.end();
        server.once('request', () => server.close(() => t.note('server', 'closed')));
      },
    );
  },

  'idle connections are closed': (t) => {
    serve(t, {}, hello, (port, server) => {
      const agent = new http.Agent({ keepAlive: true });
      inTurn(t, agent, port, ['/1'], () => {
        server.close();
        server.closeIdleConnections();
        setTimeout(() => agent.destroy(), 20);
      });
    });
  },

  'all connections are closed': (t) => {
    serve(t, {}, silent, (port, server) => {
      ask(t, 'client', { port }).end();
      setTimeout(() => {
        server.closeAllConnections();
        server.close();
      }, 20);
    });
  },
};
