/**
 * A server for one scenario, and a client that tells all it sees.
 */

import http from 'node:http';
import net from 'node:net';
import type { Tracer } from '../../sockets/tracer.js';

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

const SERVER_EVENTS = ['listening', 'close', 'dropRequest'];
const MESSAGE_EVENTS = ['data', 'end', 'close', 'aborted', 'error'];
const RESPONSE_EVENTS = ['finish', 'close', 'error'];
const CLIENT_EVENTS = ['finish', 'abort', 'timeout', 'continue', 'information', 'error', 'close'];

/** Starts a server, and calls `ready` with its port when it listens. */
export function serve(
  t: Tracer,
  options: http.ServerOptions,
  handler: Handler,
  ready: (port: number, server: http.Server) => void,
): http.Server {
  const server = http.createServer(options, (request, response) => {
    t.note('server', request.method, request.url, request.httpVersion, request.headers);
    t.watch('request', request, ...MESSAGE_EVENTS);
    t.watch('response', response, ...RESPONSE_EVENTS);
    handler(request, response);
  });
  t.watch('server', server, ...SERVER_EVENTS);
  server.listen(0, '127.0.0.1', () => {
    ready(t.port((server.address() as net.AddressInfo).port, 'port'), server);
  });
  return server;
}

/** Makes a request whose events are told under `who`; `done` comes when it has closed. */
export function ask(
  t: Tracer,
  who: string,
  options: http.RequestOptions,
  done?: () => void,
): http.ClientRequest {
  const request = http.request({ host: '127.0.0.1', agent: false, ...options });
  t.watch(who, request, ...CLIENT_EVENTS);
  request.on('response', (response) => {
    t.note(who, response.statusCode, response.statusMessage, shown(response));
    t.watch(`${who} response`, response, ...MESSAGE_EVENTS);
    response.on('end', () => t.note(`${who} response`, 'complete', response.complete));
  });
  if (done !== undefined) request.on('close', done);
  return request;
}

/** The headers of a response, in order, with the date only as being there. */
function shown(response: http.IncomingMessage): string[] {
  const { rawHeaders, rawTrailers } = response;
  return [...rawHeaders, ...rawTrailers].map((text) => (/ GMT$/.test(text) ? 'a date' : text));
}

/** Sends bytes as they are, and tells what comes back. */
export function raw(t: Tracer, port: number, text: string, done: () => void): net.Socket {
  const socket = net.connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk)));
  socket.on('close', () => {
    t.note('raw', JSON.stringify(answer.replace(/Date: [^\r]*/g, 'Date: now')));
    done();
  });
  socket.on('error', (error) => t.note('raw', error));
  socket.write(text);
  return socket;
}
