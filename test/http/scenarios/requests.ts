/**
 * Requests and their answers.
 */

import http from 'node:http';
import type { Scenarios } from '../../sockets/tracer.js';
import { ask, raw, serve, type Handler } from './serve.js';

const hello: Handler = (_request, response) => void response.end('hello');

/** A request with a body to a handler, and the end of the server. */
function exchange(
  handler: Handler,
  options: http.RequestOptions = {},
  send: (request: http.ClientRequest) => void = (request) => void request.end(),
): Scenarios[string] {
  return (t) => {
    serve(t, {}, handler, (port, server) => {
      send(ask(t, 'client', { port, ...options }, () => server.close()));
    });
  };
}

/** Bytes as they are, and what comes back. */
function bytes(text: string, handler: Handler = hello, options = {}): Scenarios[string] {
  return (t) => {
    serve(t, options, handler, (port, server) => {
      raw(t, port, text, () => server.close()).end();
    });
  };
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].map((method) => [
  `${method} without a body`,
  exchange(hello, { method, path: `/${method.toLowerCase()}` }),
]);

export const requests: Scenarios = {
  ...(Object.fromEntries(methods) as Scenarios),

  'a body of known length': exchange(
    (request, response) => request.pipe(response),
    { method: 'POST', headers: { 'Content-Length': 5 } },
    (request) => request.end('12345'),
  ),

  'a chunked body, there and back': exchange(
    (request, response) => request.pipe(response),
    { method: 'POST' },
    (request) => {
      request.write('one');
      request.on('response', () => request.end('two'));
    },
  ),

  'a large body': exchange(
    (request, response) => {
      let length = 0;
      request.on('data', (chunk: Buffer) => (length += chunk.length));
      request.on('end', () => response.end(String(length)));
    },
    { method: 'POST' },
    (request) => request.end(Buffer.alloc(3_000_000, 'x')),
  ),

  'a body that nobody reads': exchange(hello, { method: 'POST' }, (request) =>
    request.end('unread'),
  ),

  'a status and a message': exchange((_request, response) => {
    response.writeHead(418, 'Short and stout', { 'X-One': '1', 'x-two': ['a', 'b'] });
    response.end();
  }),

  'headers one by one': exchange((_request, response) => {
    response.setHeader('X-A', 'a');
    response.appendHeader('X-A', 'b');
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
    response.removeHeader('nothing');
    response.end(response.getHeaderNames().join());
  }),

  'flushed headers': exchange((_request, response) => {
    response.flushHeaders();
    setTimeout(() => response.end('later'), 5);
  }),

  'no content': exchange((_request, response) => {
    response.statusCode = 204;
    response.end();
  }),

  'not modified': exchange((_request, response) => {
    response.writeHead(304).end();
  }),

  'no date': exchange((_request, response) => {
    response.sendDate = false;
    response.end();
  }),

  'a date of the program’s own': exchange((_request, response) => {
    response.setHeader('Date', 'today');
    response.end();
  }),

  'a date among raw headers': exchange((_request, response) => {
    response.writeHead(200, ['date', 'tomorrow']);
    response.end();
  }),

  trailers: exchange((_request, response) => {
    response.writeHead(200, { Trailer: 'X-Sum' });
    response.write('body');
    response.addTrailers({ 'X-Sum': '7' });
    response.end();
  }),

  'trailers of a request': exchange(
    (request, response) => {
      request.on('end', () => response.end(JSON.stringify(request.trailers)));
      request.resume();
    },
    { method: 'POST', headers: { Trailer: 'X-Sum' } },
    (request) => {
      request.write('body');
      request.addTrailers({ 'X-Sum': '9' });
      request.end();
    },
  ),

  'an informational answer first': exchange((_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.end('then this');
  }),

  'an answer before the body has come': exchange(hello, { method: 'POST' }, (request) => {
    request.write('some');
    request.on('response', () => request.end('rest'));
  }),

  'a header that cannot be': (t) => {
    for (const headers of [{ 'bad name': 'x' }, { good: 'bad\nvalue' }]) {
      try {
        http.request({ host: '127.0.0.1', port: 1, headers: headers as http.OutgoingHttpHeaders });
      } catch (error) {
        t.note('client', error);
      }
    }
  },

  'writing after the end': exchange((_request, response) => {
    response.end('done');
    response.write('more', (error) => void error);
  }),

  'a header after the headers': exchange((_request, response) => {
    response.write('x');
    try {
      response.setHeader('late', '1');
    } catch (error) {
      response.end((error as { code?: string }).code);
    }
  }),

  'the bytes of HTTP/1.0': bytes('GET / HTTP/1.0\r\n\r\n'),
  'the bytes of HTTP/1.0 kept alive': bytes('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'),
  'the bytes of a closing request': bytes('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
  'no host': bytes('GET / HTTP/1.1\r\n\r\n'),
  'no host, and none needed': bytes('GET / HTTP/1.1\r\nConnection: close\r\n\r\n', hello, {
    requireHostHeader: false,
  }),
  'not HTTP': bytes('nonsense\r\n\r\n'),
  'a header too large': bytes(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  'both lengths': bytes(
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc',
  ),
  'a wrong chunk': bytes('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
  pipelined: bytes(
    'GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    (request, response) => {
      setTimeout(() => response.end(request.url), request.url === '/1' ? 10 : 0);
    },
  ),
};
