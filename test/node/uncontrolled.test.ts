/**
 * Calls of what cannot be simulated: recorded with their site, and never made.
 */

import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import inspector from 'node:inspector';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Duplex, Readable } from 'node:stream';
import tls from 'node:tls';
import { MessageChannel, Worker } from 'node:worker_threads';
import zlib from 'node:zlib';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { UncontrolledError } from '../../runtime/errors.js';
import { passThrough } from '../../runtime/node/uncontrolled.js';
import { at } from '../../runtime/tasks/hooks.js';
import { registerFile } from '../../runtime/tasks/sites.js';
import { simulate } from './simulate.js';

const site = registerFile('io.ts', [['call', 12, 7, 'load', 'exec']], false);
const file = path.join(os.tmpdir(), `detsim-uncontrolled-${process.pid}`);
const nothing = (): void => {};

/** Calls that throw at once, by the name a report gives them. */
const throwing: Record<string, () => unknown> = {
  'net.connect': () => net.connect(1, 'example.com'),
  'net.Socket.connect': () => new net.Socket().connect(1, '192.0.2.1'),
  'net.Server.listen': () => net.createServer().listen({ fd: 0 }),
  'tls.connect': () => tls.connect(1, 'example.com'),
  'http.get': () => http.get('http://example.com:1'),
  'http.request': () => http.request('http://example.com:1'),
  'https.get': () => https.get('https://example.com:1'),
  'http2.connect': () => http2.connect('http://example.com:1'),
  'child_process.spawn': () => childProcess.spawn('true'),
  'child_process.exec': () => childProcess.exec('true'),
  'child_process.ChildProcess.spawn': () => promisify(childProcess.execFile)('true'),
  'child_process.fork': () => childProcess.fork(file),
  'child_process.execFileSync': () => childProcess.execFileSync('true'),
  'cluster.fork': () => cluster.fork(),
  'new Worker': () => new Worker(file),
  'inspector.open': () => inspector.open(),
  'process.kill': () => process.kill(process.pid, 0),
  'readline.createInterface on standard input': () =>
    readline.createInterface({ input: { fd: 0 } as any }),
};

// Node 20 does not have it.
if (Object.hasOwn(globalThis, 'WebSocket')) {
  throwing['new WebSocket'] = () => new WebSocket('ws://example.com:1');
}

/** Calls that reject. */
const rejecting: Record<string, () => Promise<unknown>> = {
  fetch: () => fetch('http://example.com'),
  'fs.openAsBlob': () => fs.openAsBlob(__filename),
};

/** What is only made, imported or read passes. */
const passing: Record<string, () => unknown> = {
  'an agent': () => new http.Agent({ keepAlive: true }).maxSockets > 0,
  'a server that does not listen': () => http.createServer().listening,
  'a socket': () => new net.Socket().connecting,
  'a message channel': () => typeof new MessageChannel().port1,
  'a zlib stream': () => typeof zlib.createGzip(),
  'reading a file synchronously': () => fs.readFileSync(__filename, 'utf8').length > 100,
  'a look at the disk': () => [fs.existsSync(__filename), fs.statSync(__filename).isFile()],
  'opening a file for reading': () => fs.closeSync(fs.openSync(__filename, 'r')),
  'compressing synchronously': () => zlib.gunzipSync(zlib.gzipSync('text')).toString(),
  hashing: () => crypto.createHash('sha1').update('x').digest('hex'),
  'signing synchronously': () => {
    const key = crypto.createPrivateKey({ key: Buffer.from(ED25519, 'base64'), ...PKCS8 });
    return crypto.sign(null, Buffer.alloc(1), key).length;
  },
  'loading a module': () => typeof require('node:string_decoder'),
  'lines of a stream': () => readline.createInterface({ input: new Readable({ read() {} }) }).line,
};

const PKCS8 = { format: 'der', type: 'pkcs8' } as const;
const ED25519 = 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

describe('what cannot be simulated', () => {
  for (const [call, run] of Object.entries(throwing)) {
    it(`${call} throws and is recorded`, () => {
      const { log, scheduler } = simulate((write) => {
        try {
          run();
        } catch (error) {
          write(error);
        }
      });
      expect(log).to.have.length(1);
      expect(log[0]).to.be.instanceOf(UncontrolledError);
      expect((log[0] as UncontrolledError).call).to.equal(call);
      expect((log[0] as Error).message).to.match(
        /^.+ at .*uncontrolled\.test\.js:\d+:\d+ (cannot be simulated|leaves the simulation)/,
      );
      expect([...scheduler.uncontrolled.values()].map((entry) => entry.call)).to.deep.equal([call]);
      expect(scheduler.blockedOnUncontrolled).to.equal(true);
    });
  }

  for (const [call, run] of Object.entries(rejecting)) {
    it(`${call} rejects and is recorded`, () => {
      const { log, errors, scheduler } = simulate(async (write) => {
        await run().catch((error: unknown) => write(error));
      });
      expect(errors).to.deep.equal([]);
      expect(log[0]).to.be.instanceOf(UncontrolledError);
      expect([...scheduler.uncontrolled.values()].map((entry) => entry.call)).to.deep.equal([call]);
      expect(scheduler.blockedOnUncontrolled).to.equal(true);
    });
  }

  for (const [what, run] of Object.entries(passing)) {
    it(`${what} passes`, () => {
      const { log, errors, scheduler } = simulate((write) => write(run()));
      expect(errors).to.deep.equal([]);
      expect([...scheduler.uncontrolled.keys()]).to.deep.equal([]);
      expect(log).to.deep.equal([run()]);
    });
  }

  it('a stream that was opened before gives nothing', () => {
    const stdin = new net.Socket();
    Object.assign(stdin, { _handle: { fd: 0, reading: false, readStart: () => 0 } });
    const { log, scheduler } = simulate((write) => {
      stdin.on('data', write);
      stdin.once('end', write);
    });
    Object.assign(stdin, { _handle: null });
    expect(log).to.deep.equal([]);
    const calls = [...scheduler.uncontrolled.values()].map((entry) => entry.call);
    expect(calls).to.deep.equal(['reading from a socket or terminal']);
    expect(scheduler.blockedOnUncontrolled).to.equal(true);
  });

  it('the site is that of the call where it was marked', () => {
    const { scheduler } = simulate(() => {
      try {
        childProcess.exec('true', at(site, nothing));
      } catch {
        // What was recorded is looked at below.
      }
    });
    const [entry] = scheduler.uncontrolled.values();
    expect(entry.site.position()).to.equal('io.ts:12:7');
  });

  it('detsim’s own calls and calls outside pass', async () => {
    const { log, scheduler } = simulate((write) => {
      write(passThrough(() => childProcess.execFileSync('echo', ['x'], { encoding: 'utf8' })));
      expect(() => childProcess.execFileSync('echo')).to.throw(UncontrolledError);
    });
    expect(log).to.deep.equal(['x\n']);
    expect(scheduler.uncontrolled.size).to.equal(1);
    expect(await fs.promises.readFile(__filename, 'utf8')).to.include('uncontrolled');
    const { port1, port2 } = new MessageChannel();
    port2.postMessage('real');
    expect(await new Promise((resolve) => port1.once('message', resolve))).to.equal('real');
    port1.close();
  });

  it('requests over a connection in memory are no calls to the outside', () => {
    const { log, errors, scheduler } = simulate((write) => {
      const written: string[] = [];
      const connection = new Duplex({
        read() {},
        write(chunk, _encoding, done) {
          written.push(String(chunk));
          this.push('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
          done();
        },
      });
      const request = http.get(
        { host: 'memory', createConnection: () => connection as net.Socket },
        (response) => response.on('data', (chunk) => write(response.statusCode, String(chunk))),
      );
      request.on('error', write);
      setTimeout(() => write(written[0].split('\r\n')[0]), 1);
    });
    expect(errors).to.deep.equal([]);
    expect(log).to.deep.equal([200, 'hi', 'GET / HTTP/1.1']);
    expect(scheduler.uncontrolled.size).to.equal(0);
  });

  it('fetch that answers itself, and streams and bodies in memory, pass', () => {
    const { log, errors, scheduler } = simulate(async (write) => {
      write(await (await fetch('data:text/plain,hello')).text());
      write(await new Response('body').text(), await new Blob(['blob']).text());
      const text = await new Response(new Blob(['a', 'b']).stream()).text();
      write(text);
    });
    expect(errors).to.deep.equal([]);
    expect(log).to.deep.equal(['hello', 'body', 'blob', 'ab']);
    expect(scheduler.uncontrolled.size).to.equal(0);
  });
});
