/**
 * The stand-in answers as Redis does: to every command of test/fixtures/redis what a real one was
 * recorded to answer. Where a redis-server is installed, the record is checked against it as well.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { RedisServer } from '../../standins/redis/index.js';
import { ask, readRecorded, recordedFiles } from './recorded.js';

const shown = (all: readonly { command: string; reply: string }[]): string[] =>
  all.map(({ command, reply }) => `${command} -> ${reply}`);

describe('the replies of the Redis stand-in', () => {
  const server = new RedisServer();

  before(() => server.listen(0));
  after(() => server.close());

  it('are recorded', () => {
    const commands = recordedFiles().flatMap((name) => readRecorded(name));
    expect(commands.length).to.be.greaterThan(800);
    expect(commands.filter(({ reply }) => reply === '')).to.deep.equal([]);
  });

  for (const name of recordedFiles()) {
    it(`are those of Redis: ${name}`, async () => {
      const replies = await ask(server.address()!.port, name);
      expect(shown(replies)).to.deep.equal(shown(readRecorded(name)));
    });
  }
});

describe('the record of replies', () => {
  const installed = spawnSync('redis-server', ['--version']).status === 0;
  let redis: ChildProcess | undefined;
  let port = 0;

  before(async function () {
    if (!installed) return this.skip();
    const probe = net.createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    port = (probe.address() as net.AddressInfo).port;
    probe.close();
    const options = ['--port', String(port), '--save', '', '--loglevel', 'notice'];
    redis = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const chunk of redis.stdout!) {
      if (String(chunk).includes('Ready to accept connections')) break;
    }
  });

  after(() => redis?.kill());

  for (const name of recordedFiles()) {
    it(`is what the installed Redis says: ${name}`, async () => {
      expect(shown(await ask(port, name))).to.deep.equal(shown(readRecorded(name)));
    });
  }
});
