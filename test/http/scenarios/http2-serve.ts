/**
 * A server of HTTP/2 for one scenario, and a client that tells all it sees.
 */

import fs from 'node:fs';
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type net from 'node:net';
import path from 'node:path';
import type { Tracer } from '../../sockets/tracer.js';

const fixtures = path.join(__dirname, '../../../../test/fixtures/sockets');
export const cert = fs.readFileSync(path.join(fixtures, 'cert.pem'));
export const key = fs.readFileSync(path.join(fixtures, 'key.pem'));

export type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

const SERVER_EVENTS = ['listening', 'session', 'sessionError', 'timeout', 'close'];
export const SESSION_EVENTS = ['connect', 'close', 'error', 'timeout', 'frameError', 'altsvc'];
export const STREAM_EVENTS = [
  'data',
  'end',
  'finish',
  'close',
  'error',
  'aborted',
  'timeout',
  'ready',
];
const CLIENT_EVENTS = ['continue', 'frameError', 'wantTrailers'];

/** Headers in order, with the date only as being there. */
export function shown(headers: IncomingHttpHeaders): string {
  const { date, ...rest } = headers;
  return JSON.stringify({ ...rest, ...(date === undefined ? {} : { date: / GMT$/.test(date) }) });
}

/** Who closes says so once or twice; the second time may come too late. */
export function watchSession<T extends http2.Http2Session>(t: Tracer, who: string, session: T): T {
  session.once('goaway', (code, last, data) => t.note(who, 'goaway', code, last, String(data)));
  return t.watch(who, session, ...SESSION_EVENTS);
}

export function watchServer(t: Tracer, server: Http2Server, onStream: OnStream | undefined): void {
  t.watch('server', server, ...SERVER_EVENTS);
  server.on('session', (session) => {
    watchSession(t, 'server session', session);
    session.on('ping', (payload: Buffer) => t.note('server session', 'ping', payload.length));
  });
  if (onStream === undefined) return;
  server.on('stream', (stream, headers) => {
    const who = `stream ${headers[':path']}`;
    t.note(who, headers[':method'], stream.id);
    t.watch(who, stream, ...STREAM_EVENTS, 'wantTrailers');
    stream.on('close', () => t.note(who, 'code', stream.rstCode));
    onStream(stream, headers);
  });
}

export type Ready = (client: ClientHttp2Session, server: Http2Server, port: number) => void;

/** A server and one session with it. */
export function serve(
  t: Tracer,
  onStream: OnStream | undefined,
  ready: Ready,
  options: http2.ServerOptions = {},
  clientOptions: http2.ClientSessionOptions = {},
): Http2Server {
  const server = http2.createServer(options);
  watchServer(t, server, onStream);
  server.listen(0, '127.0.0.1', () => {
    const port = t.port((server.address() as net.AddressInfo).port, 'port');
    const client = http2.connect(`http://127.0.0.1:${port}`, clientOptions);
    watchSession(t, 'client', client);
    ready(client, server, port);
  });
  return server;
}

/** Makes a request whose events are told; `done` comes when it has closed. */
export function ask(
  t: Tracer,
  client: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  done: () => void,
  options?: http2.ClientSessionRequestOptions,
): ClientHttp2Stream {
  const who = `request ${String(headers[':path'])}`;
  const request = client.request(headers, options);
  t.watch(who, request, ...STREAM_EVENTS, ...CLIENT_EVENTS);
  request.on('response', (response, flags) => t.note(who, shown(response), flags));
  request.on('headers', (info) => t.note(who, 'info', info));
  request.on('trailers', (trailers) => t.note(who, 'trailers', trailers));
  request.on('close', () => {
    t.note(who, 'code', request.rstCode);
    done();
  });
  return request;
}

export const echo: OnStream = (stream, headers) => {
  stream.respond({ ':status': 200, 'content-type': 'text/plain' });
  stream.end(`${headers[':method']} ${headers[':path']}`);
};

/** Ends both. */
export function over(client: ClientHttp2Session, server: Http2Server): () => void {
  return () => {
    client.close();
    server.close();
  };
}

export function after(count: number, then: () => void): () => void {
  let left = count;
  return () => void (--left === 0 && then());
}
