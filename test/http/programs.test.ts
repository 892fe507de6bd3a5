/**
 * Programs of other people's, unchanged, with their own clients, inside a simulation: what they
 * answer, and that the first run of a process and every later one are the same, byte for byte.
 */

import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net, { type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { simulate } from '../node/simulate.js';

type Log = (...values: unknown[]) => void;

// Not all of these packages have types; what they do is what is tested.
const express = require('express') as any;
const fastify = require('fastify') as any;
const supertest = require('supertest') as any;
const undici = require('undici') as any;
const ws = require('ws') as any;

/** Runs `main` in three simulations, and returns what it logged in each. */
function logged(main: (log: Log) => Promise<void>): unknown[] {
  const runs = [1, 2, 3].map(() => {
    const { log, errors, scheduler } = simulate(main);
    expect(errors).to.deep.equal([]);
    expect([...scheduler.uncontrolled.keys()]).to.deep.equal([]);
    const { digest, steps, choices, now } = scheduler.loop;
    return { log, digest, steps, choices, now };
  });
  expect(runs[1]).to.deep.equal(runs[0]);
  expect(runs[2]).to.deep.equal(runs[0]);
  return runs[0].log;
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return `localhost:${(server.address() as AddressInfo).port}`;
}

const fixtures = path.join(__dirname, '../../../test/fixtures/sockets');

/** Requests over TLS: their bytes differ from run to run, so what is compared is what they say. */
function httpsLog(): unknown[] {
  const cert = fs.readFileSync(path.join(fixtures, 'cert.pem'));
  const key = fs.readFileSync(path.join(fixtures, 'key.pem'));
  const { log, errors } = simulate(async (note) => {
    const server = https.createServer({ cert, key }, (request, response) =>
      response.end(`${request.url} ${(request.socket as TLSSocket).getProtocol()}`),
    );
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const agent = new https.Agent({ ca: cert, keepAlive: true });
    const get = (options: https.RequestOptions): Promise<http.IncomingMessage> =>
      new Promise((resolve, reject) => {
        https
          .get({ port, host: 'localhost', path: '/secure', ...options }, resolve)
          .on('error', reject);
      });
    const response = await get({ agent });
    const { authorized } = response.socket as TLSSocket;
    let body = '';
    for await (const chunk of response) body += String(chunk);
    note(response.statusCode, body, authorized);
    agent.destroy();
    await get({}).catch((error: NodeJS.ErrnoException) => note(error.code));
    await new Promise<void>((resolve) => server.close(() => resolve()));
    note('closed');
  });
  expect(errors).to.deep.equal([]);
  return log;
}

const said = (emitter: any, event: string): Promise<any> =>
  new Promise((resolve) => emitter.once(event, resolve));

describe('programs with HTTP in a simulation', function () {
  this.timeout(30_000);

  it('express, with supertest and fetch', () => {
    const log = logged(async (note) => {
      const app = express();
      app.use(express.json());
      app.get('/users/:id', (request: any, response: any) => response.json(request.params));
      app.post('/users', (request: any, response: any) => response.status(201).send(request.body));
      app.get('/wrong', () => {
        throw new Error('wrong');
      });
      app.use((error: Error, _request: any, response: any, _next: any) =>
        response.status(500).send(error.message),
      );
      const got = await supertest(app).get('/users/5');
      note(got.status, got.body, got.headers.date);
      const posted = await supertest(app).post('/users').send({ name: 'x' });
      note(posted.status, posted.body, (await supertest(app).get('/wrong')).text);
      const server = http.createServer(app);
      const at = await listening(server);
      note(await (await fetch(`http://${at}/users/7`)).json());
      server.close();
    });
    expect(log).to.deep.equal([
      200,
      { id: '5' },
      'Thu, 01 Jan 2026 00:00:00 GMT',
      201,
      { name: 'x' },
      'wrong',
      { id: '7' },
    ]);
  });

  it('fastify, with inject and fetch', () => {
    const log = logged(async (note) => {
      const app = fastify();
      app.get('/users/:id', async (request: any) => request.params as unknown);
      const injected = await app.inject('/users/3');
      note(injected.statusCode, injected.json());
      const at = (await app.listen({ port: 0 })) as string;
      const response = await fetch(`${at.replace('[::1]', 'localhost')}/users/7`);
      note(response.status, await response.json());
      await app.close();
      note('closed');
    });
    expect(log).to.deep.equal([200, { id: '3' }, 200, { id: '7' }, 'closed']);
  });

  it('ws, both ends, and the global WebSocket where Node has it', () => {
    const log = logged(async (note) => {
      const server = http.createServer();
      const sockets = new ws.WebSocketServer({ server });
      sockets.on('connection', (socket: any) => {
        socket.on('message', (message: Buffer) => socket.send(`echo ${String(message)}`));
      });
      const at = await listening(server);
      const client = new ws.WebSocket(`ws://${at}`);
      await said(client, 'open');
      client.send('hello');
      note(String(await said(client, 'message')));
      client.ping();
      await said(client, 'pong');
      client.close(1000);
      note(await said(client, 'close'));
      if (Object.hasOwn(globalThis, 'WebSocket')) {
        const global = new WebSocket(`ws://${at}`);
        const message = new Promise((resolve) => {
          global.onmessage = ({ data }) => resolve(data);
        });
        await new Promise((resolve) => (global.onopen = resolve));
        global.send('again');
        expect(await message).to.equal('echo again');
        global.close();
        await new Promise((resolve) => (global.onclose = resolve));
      }
      sockets.close();
      server.close();
    });
    expect(log).to.deep.equal(['echo hello', 1000]);
  });

  it('http2, with pings, dates and timeouts by the virtual clock', () => {
    const log = logged(async (note) => {
      const server = http2.createServer((request, response) => {
        if (request.url !== '/never') response.end(request.url);
      });
      server.on('session', (session) => session.on('ping', (payload: Buffer) => note(payload)));
      const client = http2.connect(`http://${await listening(server)}`);
      const ask = async (path: string): Promise<void> => {
        const request = client.request({ ':path': path });
        request.setTimeout(3000, () => request.close());
        request.on('response', ({ date }) => note(path, date));
        await said(request.resume(), 'close');
        note(request.rstCode, performance.now() > 3000);
      };
      await Promise.all([ask('/1'), ask('/2')]);
      client.ping((_error, duration) => note(duration));
      await ask('/never');
      server.close(); // The session stays, and is left.
    });
    const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
    expect(log.slice(0, 4)).to.deep.equal(['/1', date, '/2', date]);
    expect(log).to.include(0.1);
    expect(log.slice(-2)).to.deep.equal([0, true]);
  });

  it('http2 over TLS, and the files of its server are not simulated', () => {
    const cert = fs.readFileSync(path.join(fixtures, 'cert.pem'));
    const key = fs.readFileSync(path.join(fixtures, 'key.pem'));
    const { log, errors, scheduler } = simulate(async (note) => {
      const server = http2.createSecureServer({ cert, key });
      server.on('stream', (stream) => {
        try {
          stream.respondWithFile(__filename);
        } catch (error) {
          note((error as Error).name);
        }
        stream.respond();
        stream.end('over TLS');
      });
      const client = http2.connect(`https://${await listening(server)}`, { ca: cert });
      let body = '';
      const request = client.request({ ':path': '/' });
      request.on('data', (chunk) => (body += String(chunk)));
      await said(request, 'close');
      note(body, client.alpnProtocol);
      client.close();
    });
    expect(errors).to.deep.equal([]);
    expect(log).to.deep.equal(['UncontrolledError', 'over TLS', 'h2']);
    expect([...scheduler.uncontrolled.values()][0].call).to.include('respondWithFile');
  });

  it('undici, with timeouts of seconds, and idle connections that are left', () => {
    const log = logged(async (note) => {
      const server = http.createServer((request, response) => {
        if (request.url !== '/never') response.end(request.url);
      });
      const origin = `http://${await listening(server)}`;
      const { statusCode, body } = await undici.request(`${origin}/request`);
      note(statusCode, await body.text());
      note(await (await undici.fetch(`${origin}/fetch`)).text());
      const pool = new undici.Pool(origin, { headersTimeout: 3000 });
      const before = performance.now();
      await pool.request({ path: '/never', method: 'GET' }).catch((error: any) => note(error.code));
      const seconds = (performance.now() - before) / 1000;
      note(seconds > 2.9 && seconds < 5);
      server.close();
    });
    expect(log).to.deep.equal([200, '/request', '/fetch', 'UND_ERR_HEADERS_TIMEOUT', true]);
  });

  it('https, over TLS with a certificate that is checked', () => {
    const log = httpsLog();
    expect(log.slice(0, 3)).to.deep.equal([200, '/secure TLSv1.3', true]);
    expect(log.slice(3)).to.deep.equal(['DEPTH_ZERO_SELF_SIGNED_CERT', 'closed']);
  });

  it('EventSource, where Node has it', function () {
    if (!Object.hasOwn(globalThis, 'EventSource')) this.skip();
    const log = logged(async (note) => {
      const server = http.createServer((request, response) => {
        note(request.headers.accept, request.headers['last-event-id']);
        response.setHeader('content-type', 'text/event-stream');
        response.write('retry: 5000\n\nid: 7\ndata: one\n\n');
        setTimeout(() => response.end('event: other\ndata: two\n\n'), 1000);
      });
      const at = await listening(server);
      const source = new (globalThis as any).EventSource(`http://${at}`);
      source.onmessage = ({ data }: any) => note('message', data);
      source.addEventListener('other', ({ data }: any) => note('other', data));
      const began = Date.now();
      await new Promise<void>((resolve) => {
        let opens = 0;
        source.onopen = () => {
          if (++opens === 2) resolve();
        };
      });
      // The server ends the stream after a second, and the client comes again five seconds later.
      const seconds = (Date.now() - began) / 1000;
      note(Math.round(seconds));
      source.close();
      server.close();
    });
    const first = ['text/event-stream', undefined, 'message', 'one', 'other', 'two'];
    expect(log).to.deep.equal([...first, 'text/event-stream', '7', 6]);
  });

  it('fetch has no connections of an earlier simulation', () => {
    const log = logged(async (note) => {
      let connections = 0;
      const server = http.createServer((_request, response) => response.end());
      server.on('connection', () => connections++);
      const at = await listening(server);
      for (let i = 0; i < 3; i++) await (await fetch(`http://${at}`)).text();
      note(connections, at);
    });
    // Each simulation has connections of its own, however many undici makes.
    expect(log[0]).to.be.within(1, 3);
    expect(log[1]).to.equal('localhost:32768');
  });

  it('a server ends its idle connections in the order in which they came', () => {
    const log = logged(async (note) => {
      for (const end of ['close', 'closeAllConnections'] as const) {
        const server = http.createServer((_request, response) => response.end());
        let came = 0;
        server.on('connection', (socket) => {
          const number = ++came;
          socket.on('close', () => note(end, number));
        });
        const at = await listening(server);
        const agent = new http.Agent({ keepAlive: true });
        const get = (): Promise<unknown> =>
          new Promise((resolve) => {
            http.get(`http://${at}`, { agent }, (response) => response.resume().on('end', resolve));
          });
        await Promise.all(Array.from({ length: 8 }, get));
        server[end]();
        await said(server.close(), 'close');
        agent.destroy();
      }
    });
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    const ends = ['close', 'closeAllConnections'];
    expect(log).to.deep.equal(ends.flatMap((end) => numbers.flatMap((number) => [end, number])));
  });

  it('fetch leaves a strange host to a library that stands in for sockets', () => {
    const { connect } = net.Socket.prototype;
    const log = logged(async (note) => {
      net.Socket.prototype.connect = function (this: net.Socket) {
        return this.destroy(new Error('nobody but the library'));
      };
      await fetch('http://nowhere.example/x').catch((error: Error) => note(String(error.cause)));
      net.Socket.prototype.connect = connect;
    });
    expect(log).to.deep.equal(['Error: nobody but the library']);
  });

  it('fetch and WebSocket to nowhere name the site', () => {
    const { log } = simulate(async (note) => {
      await fetch('http://nowhere.example/x').catch((error: Error) => note(error.message));
    });
    expect(log[0]).to.match(/^fetch at .*programs\.test\.js:\d+:\d+ leaves the simulation/);
    expect(log[0]).to.include('nowhere.example');
  });
});
