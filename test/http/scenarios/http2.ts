/**
 * HTTP/2: sessions, streams, pushing, pings, settings, ends and errors; in clear and over TLS.
 */

import http2, { type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import type { Scenarios } from '../../sockets/tracer.js';
import {
  after,
  ask,
  cert,
  echo,
  key,
  over,
  serve,
  shown,
  watchServer,
  watchSession,
  STREAM_EVENTS,
  type OnStream,
  type Ready,
} from './http2-serve.js';

export const http2Sessions: Scenarios = {
  'http2: one request after another': (t) => {
    serve(t, echo, (client, server) => {
      ask(t, client, { ':path': '/1' }, () => {
        ask(t, client, { ':path': '/2' }, over(client, server));
      });
    });
  },

  'http2: requests at once': (t) => {
    serve(t, echo, (client, server) => {
      const done = after(5, over(client, server));
      for (let i = 0; i < 5; i++) ask(t, client, { ':path': `/${i}` }, done);
    });
  },

  'http2: a body to the server and back': (t) => {
    const onStream: OnStream = (stream) => {
      stream.respond();
      stream.pipe(stream);
    };
    serve(t, onStream, (client, server) => {
      const request = ask(t, client, { ':path': '/', ':method': 'POST' }, over(client, server));
      request.write('one ');
      setTimeout(() => request.end('two'), 100);
    });
  },

  'http2: large bodies both ways': (t) => {
    const onStream: OnStream = (stream) => {
      let length = 0;
      stream.on('data', (chunk: Buffer) => (length += chunk.length));
      stream.on('end', () => {
        stream.respond({ 'x-length': length });
        stream.end(Buffer.alloc(700_000, 'y'));
      });
    };
    serve(t, onStream, (client, server) => {
      const request = ask(t, client, { ':path': '/', ':method': 'PUT' }, over(client, server));
      request.end(Buffer.alloc(500_000, 'x'));
    });
  },

  'http2: large frames, where the peer allows them': (t) => {
    const onStream: OnStream = (stream) => {
      stream.respond();
      stream.end(Buffer.alloc(300_000, 'y'));
    };
    const settings = { maxFrameSize: 100_000, initialWindowSize: 200_000 };
    const ready: Ready = (client, server) => ask(t, client, { ':path': '/' }, over(client, server));
    serve(t, onStream, ready, { settings }, { settings });
  },

  'http2: headers that take several frames': (t) => {
    const onStream: OnStream = (stream, headers) => {
      const { length } = String(headers['x-large']);
      stream.respond({ 'x-length': length, 'x-large': 'b'.repeat(30_000) });
      stream.end();
    };
    serve(t, onStream, (client, server) => {
      const who = 'request';
      const request = client.request({ ':path': '/', 'x-large': 'a'.repeat(40_000) });
      request.on('response', (headers) => {
        t.note(who, headers['x-length'], String(headers['x-large']).length);
      });
      t.watch(who, request, ...STREAM_EVENTS);
      request.on('close', over(client, server));
    });
  },

  'http2: trailers, and informational headers': (t) => {
    const onStream: OnStream = (stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</x>' });
      stream.respond({ ':status': 201 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42' }));
      stream.end('with trailers');
    };
    serve(t, onStream, (client, server) => {
      ask(t, client, { ':path': '/' }, over(client, server));
    });
  },

  'http2: HEAD, and a response without a body': (t) => {
    const onStream: OnStream = (stream, headers) => {
      if (headers[':method'] === 'HEAD') {
        stream.respond({ 'content-length': 5 });
        stream.end();
      } else stream.respond({ ':status': 204 }, { endStream: true });
    };
    serve(t, onStream, (client, server) => {
      ask(t, client, { ':path': '/head', ':method': 'HEAD' }, () => {
        ask(t, client, { ':path': '/none' }, over(client, server));
      });
    });
  },

  'http2: Expect: 100-continue': (t) => {
    const server = http2.createServer((request, response) => {
      t.note('request', request.method, request.url);
      request.resume().on('end', () => response.end('thanks'));
    });
    watchServer(t, server, undefined);
    server.on('checkContinue', (request: http2.Http2ServerRequest, response) => {
      t.note('server', 'checkContinue');
      response.writeContinue();
      server.emit('request', request, response);
    });
    server.listen(0, '127.0.0.1', () => {
      const client = http2.connect(
        `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
      );
      const headers = { ':path': '/', ':method': 'POST', expect: '100-continue' };
      const request = ask(t, client, headers, over(client, server));
      request.on('continue', () => request.end('body'));
    });
  },

  'http2: pushing': (t) => {
    const onStream: OnStream = (stream) => {
      stream.pushStream({ ':path': '/pushed' }, (error, pushed, headers) => {
        t.note('push', error, headers[':path']);
        t.watch('push', pushed, ...STREAM_EVENTS);
        pushed.respond({ ':status': 200 });
        pushed.end('pushed');
      });
      stream.respond();
      stream.end('asked for');
    };
    serve(t, onStream, (client, server) => {
      const done = after(2, over(client, server));
      client.on('stream', (pushed: ClientHttp2Stream, headers: IncomingHttpHeaders) => {
        t.note('pushed', headers[':path'], pushed.id);
        t.watch('pushed', pushed, ...STREAM_EVENTS);
        pushed.on('push', (response) => t.note('pushed', shown(response)));
        pushed.on('close', done);
      });
      ask(t, client, { ':path': '/' }, done);
    });
  },

  'http2: pushing to a client that wants none': (t) => {
    const onStream: OnStream = (stream) => {
      t.note('push allowed', stream.pushAllowed);
      try {
        stream.pushStream({ ':path': '/pushed' }, () => {});
      } catch (error) {
        t.note('push', error);
      }
      stream.respond();
      stream.end();
    };
    const ready: Ready = (client, server) => ask(t, client, { ':path': '/' }, over(client, server));
    serve(t, onStream, ready, {}, { settings: { enablePush: false } });
  },

  'http2: pings': (t) => {
    serve(t, echo, (client, server) => {
      client.on('connect', () => {
        client.ping(Buffer.from('12345678'), (error, duration, payload) => {
          t.note('ping', error, duration >= 0 && duration < 5000, payload.toString());
          client.ping((second, _duration, own) => {
            t.note('ping', second, own.length);
            over(client, server)();
          });
        });
      });
    });
  },

  'http2: pings that are not answered': (t) => {
    serve(t, echo, (client, server) => {
      client.on('connect', () => {
        client.ping((error) => t.note('ping', error));
        client.destroy();
        try {
          client.ping(() => {});
        } catch (error) {
          t.note('after', error);
        }
        server.close();
      });
    });
  },

  'http2: settings': (t) => {
    const settings = { maxConcurrentStreams: 2, initialWindowSize: 1000 };
    const ready: Ready = (client, server) => {
      client.on('remoteSettings', (remote) => {
        t.note('remote', remote.maxConcurrentStreams, remote.initialWindowSize);
        client.settings({ maxFrameSize: 20_000 }, (error, now, duration) => {
          t.note('settings', error, now.maxFrameSize, duration >= 0);
          over(client, server)();
        });
      });
      client.on('localSettings', (local) => t.note('local', local.maxFrameSize));
    };
    serve(t, echo, ready, { settings });
  },

  'http2: no more streams than the server allows': (t) => {
    const onStream: OnStream = (stream) => {
      stream.respond();
      setTimeout(() => stream.end('late'), 5);
    };
    const ready: Ready = (client, server) => {
      client.once('remoteSettings', () => {
        const done = after(3, over(client, server));
        for (let i = 0; i < 3; i++) ask(t, client, { ':path': `/${i}` }, done);
      });
    };
    serve(t, onStream, ready, { settings: { maxConcurrentStreams: 1 } });
  },

  'http2: goaway with an error': (t) => {
    const onStream: OnStream = (stream) => stream.session!.goaway(2, 0, Buffer.from('go'));
    serve(t, onStream, (client, server) => {
      ask(t, client, { ':path': '/' }, () => server.close());
    });
  },

  'http2: the server closes a stream with a code': (t) => {
    serve(
      t,
      (stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM),
      (client, server) => ask(t, client, { ':path': '/' }, over(client, server)),
    );
  },

  'http2: the server destroys a stream with an error': (t) => {
    const onStream: OnStream = (stream) => {
      stream.respond();
      stream.write('part');
      setTimeout(() => stream.destroy(new Error('no more')), 5);
    };
    serve(t, onStream, (client, server) => ask(t, client, { ':path': '/' }, over(client, server)));
  },

  'http2: the client gives up': (t) => {
    const onStream: OnStream = (stream) => {
      stream.respond();
      stream.write('part');
    };
    serve(t, onStream, (client, server) => {
      const request = ask(t, client, { ':path': '/' }, over(client, server));
      request.on('data', () => request.close(http2.constants.NGHTTP2_CANCEL));
    });
  },

  'http2: the client gives up by a signal': (t) => {
    const onStream: OnStream = (stream) => stream.respond();
    serve(t, onStream, (client, server) => {
      const controller = new AbortController();
      const { signal } = controller;
      const done = (): void => void setTimeout(over(client, server), 20);
      const request = ask(t, client, { ':path': '/' }, done, { signal });
      request.on('response', () => controller.abort());
    });
  },

  'http2: the client destroys its session': (t) => {
    serve(
      t,
      (stream) => stream.respond(),
      (client, server) => {
        const request = ask(t, client, { ':path': '/' }, () => server.close());
        request.on('response', () => client.destroy(new Error('enough')));
      },
    );
  },

  'http2: the server destroys its session': (t) => {
    serve(
      t,
      (stream) => stream.session!.destroy(),
      (client, server) => ask(t, client, { ':path': '/' }, () => server.close()),
    );
  },

  'http2: the socket goes': (t) => {
    serve(
      t,
      (stream) => {
        stream.respond();
        stream.write('part');
      },
      (client, server) => {
        const request = ask(t, client, { ':path': '/' }, () => server.close());
        client.on('connect', (_session, socket) => request.on('data', () => socket.destroy()));
      },
    );
  },

  'http2: closing waits for streams': (t) => {
    const onStream: OnStream = (stream) => {
      stream.respond();
      setTimeout(() => stream.end('late'), 10);
    };
    serve(t, onStream, (client, server) => {
      ask(t, client, { ':path': '/' }, () => server.close());
      client.on('connect', () => client.close(() => t.note('client', 'is closed')));
    });
  },

  'http2: timeouts of sessions and streams': (t) => {
    serve(
      t,
      () => {},
      (client, server) => {
        const request = ask(t, client, { ':path': '/' }, () => server.close());
        request.setTimeout(30, () => {
          t.note('request', 'too long');
          client.setTimeout(30, () => client.destroy());
        });
      },
    );
  },

  'http2: the compatible API': (t) => {
    const server = http2.createServer((request, response) => {
      t.note('request', request.method, request.url, request.httpVersion, request.headers.host);
      t.watch('response', response, 'finish', 'close');
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        response.setHeader('X-Body', body);
        response.writeHead(202, { 'content-type': 'text/plain' });
        response.write('a');
        response.end('b', () => t.note('response', 'ended'));
      });
    });
    watchServer(t, server, undefined);
    server.listen(0, '127.0.0.1', () => {
      const client = http2.connect(
        `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
      );
      const headers = { ':path': '/', ':method': 'POST', ':authority': 'here' };
      ask(t, client, headers, over(client, server)).end('sent');
    });
  },

  'http2: headers that are wrong': (t) => {
    const onStream: OnStream = (stream) => {
      for (const headers of [{ ':status': 99 }, { connection: 'close' }, { ':path': '/' }]) {
        try {
          stream.respond(headers);
        } catch (error) {
          t.note('respond', error);
        }
      }
      stream.respond();
      stream.end();
    };
    serve(t, onStream, (client, server) => {
      ask(t, client, { ':path': '/' }, over(client, server));
    });
  },

  'http2: nobody listens': (t) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const port = t.port((server.address() as net.AddressInfo).port, 'port');
      server.close(() => {
        const client = http2.connect(`http://127.0.0.1:${port}`);
        watchSession(t, 'client', client);
        ask(t, client, { ':path': '/' }, () => {});
      });
    });
  },

  'http2: the server speaks HTTP/1': (t) => {
    const server = net.createServer((socket) => {
      t.watch('socket', socket, 'end', 'close', 'error');
      socket.resume().end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    });
    server.listen(0, '127.0.0.1', () => {
      const client = http2.connect(
        `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
      );
      watchSession(t, 'client', client);
      ask(t, client, { ':path': '/' }, () => server.close());
    });
  },

  'http2: the client speaks HTTP/1': (t) => {
    const server = http2.createServer();
    watchServer(t, server, echo);
    server.listen(0, '127.0.0.1', () => {
      const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
      t.watch('socket', socket, 'end', 'close');
      socket.resume();
      socket.on('close', () => server.close());
      socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    });
  },

  'http2: over TLS': (t) => {
    const server = http2.createSecureServer({ cert, key });
    watchServer(t, server, (stream, headers) => {
      const { encrypted, alpnProtocol } = stream.session!;
      t.note('session', encrypted, alpnProtocol);
      echo(stream, headers);
    });
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      const client = http2.connect(`https://localhost:${port}`, { ca: cert });
      watchSession(t, 'client', client);
      ask(t, client, { ':path': '/1' }, () => {
        t.note('client', client.alpnProtocol, client.encrypted);
        ask(t, client, { ':path': '/2' }, over(client, server));
      });
    });
  },

  'http2: over TLS, with HTTP/1 allowed': (t) => {
    const server = http2.createSecureServer(
      { cert, key, allowHTTP1: true },
      (request, response) => {
        t.note('request', request.httpVersion, request.url);
        response.end(request.httpVersion);
      },
    );
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      https.get({ port, host: 'localhost', ca: cert, agent: false }, (response) => {
        t.watch('http/1', response, 'data', 'end');
        response.on('end', () => {
          const client = http2.connect(`https://localhost:${port}`, { ca: cert });
          ask(t, client, { ':path': '/' }, over(client, server));
        });
      });
    });
  },

  'http2: over TLS, with a certificate nobody knows': (t) => {
    const server = http2.createSecureServer({ cert, key });
    watchServer(t, server, echo);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      const client = http2.connect(`https://localhost:${port}`);
      watchSession(t, 'client', client);
      ask(t, client, { ':path': '/' }, () => server.close());
    });
  },
};
