/** Commands that wait, and what others see of keys: several raw clients at once. */

import { expect } from 'chai';
import { simulate } from '../../index.js';
import { RedisServer } from '../../standins/redis/index.js';
import { RawClient } from './raw-client.js';

describe('waiting on the Redis stand-in', () => {
  const server = new RedisServer();
  let clients: RawClient[] = [];

  before(() => server.listen(0));
  after(() => server.close());

  beforeEach(async () => {
    clients = await Promise.all([1, 2, 3].map(() => RawClient.connect(server.address()!.port)));
    await clients[0].command('FLUSHALL');
  });

  afterEach(() => {
    for (const client of clients) client.close();
  });

  it('serves those who wait longest first, one item each', async () => {
    const [a, b, c] = clients;
    a.send('BLPOP list 0');
    await c.command('PING');
    b.send('BRPOP list 0');
    await c.command('PING');
    expect(await c.command('RPUSH list one two three')).to.equal(':3');
    expect(await a.receive()).to.equal('["list" "one"]');
    expect(await b.receive()).to.equal('["list" "three"]');
    expect(await c.command('LRANGE list 0 -1')).to.equal('["two"]');
  });

  it('holds what a connection sends behind a command that waits', async () => {
    const [a, , c] = clients;
    a.send('BLPOP list 0');
    a.send('INCR n');
    await c.command('PING');
    expect(await c.command('GET n')).to.equal('nil');
    await c.command('LPUSH list x');
    expect(await a.receive()).to.equal('["list" "x"]');
    expect(await a.receive()).to.equal(':1');
  });

  it('wakes nobody before a transaction is over, and only for what is left then', async () => {
    const [a, , c] = clients;
    a.send('BLPOP list 0');
    await c.command('MULTI');
    await c.command('LPUSH list x');
    await c.command('DEL list');
    expect(await c.command('EXEC')).to.equal('[:1 :1]');
    await c.command('LPUSH list y');
    expect(await a.receive()).to.equal('["list" "y"]');
  });

  it('passes items on along a chain of moves', async () => {
    const [a, b, c] = clients;
    a.send('BLMOVE first second LEFT RIGHT 0');
    await c.command('PING');
    b.send('BZPOPMIN other 0');
    await c.command('PING');
    await c.command('RPUSH first x');
    expect(await a.receive()).to.equal('"x"');
    await c.command('ZADD other 2 m');
    expect(await b.receive()).to.equal('["other" "m" "2"]');
    expect(await c.command('LRANGE second 0 -1')).to.equal('["x"]');
  });

  it('gives new entries of streams to readers and to groups', async () => {
    const [a, b, c] = clients;
    await c.command('XGROUP CREATE stream group $ MKSTREAM');
    a.send('XREAD BLOCK 0 STREAMS stream $');
    await c.command('PING');
    b.send('XREADGROUP GROUP group consumer BLOCK 0 STREAMS stream >');
    await c.command('PING');
    await c.command('XADD stream 1-1 field value');
    const entries = '[["stream" [["1-1" ["field" "value"]]]]]';
    expect(await a.receive()).to.equal(entries);
    expect(await b.receive()).to.equal(entries);
    expect(await c.command('XPENDING stream group')).to.equal(
      '[:1 "1-1" "1-1" [["consumer" "1"]]]',
    );
  });

  it('lets go of a client by CLIENT UNBLOCK', async () => {
    const [a, , c] = clients;
    const id = (await a.command('CLIENT ID')).slice(1);
    a.send('BLPOP list 0');
    await c.command('PING');
    expect(await c.command(`CLIENT UNBLOCK ${id} ERROR`)).to.equal(':1');
    expect(await a.receive()).to.equal('-UNBLOCKED client unblocked via CLIENT UNBLOCK');
  });

  it('aborts a transaction when a watched key has changed or expired', async () => {
    const [a, , c] = clients;
    await a.command('SET key 1 PX 5');
    await a.command('WATCH key');
    await new Promise((resolve) => setTimeout(resolve, 10));
    await a.command('MULTI');
    expect(await a.command('EXEC')).to.equal('nil-array');
    await a.command('WATCH key');
    await c.command('SET key 2');
    await a.command('MULTI');
    expect(await a.command('EXEC')).to.equal('nil-array');
  });

  it('tells listeners of keys that change and expire', async () => {
    const [a, , c] = clients;
    await c.command('CONFIG SET notify-keyspace-events KEA');
    await a.command('PSUBSCRIBE __key*__:*');
    await c.command('SET key 1 PX 5');
    const heard = [];
    for (let i = 0; i < 6; i++) heard.push(await a.receive());
    const about = (kind: string, what: string, event: string) =>
      `["pmessage" "__key*__:*" "__key${kind}@0__:${what}" "${event}"]`;
    expect(heard).to.deep.equal(
      ['set', 'expire', 'expired'].flatMap((event) => [
        about('space', 'key', event),
        about('event', event, 'key'),
      ]),
    );
    await c.command('CONFIG SET notify-keyspace-events ""');
  });

  it('ends a connection whose bytes are no request, and takes pipelines in pieces', async () => {
    const [a, b] = clients;
    a.sendRaw('*1\r\n+PING\r\n');
    expect(await a.receive()).to.equal("-ERR Protocol error: expected '$', got '+'");
    for (const byte of '*1\r\n$4\r\nPING\r\nECHO "a b"\r\n') b.sendRaw(byte);
    expect(await b.receive()).to.equal('+PONG');
    expect(await b.receive()).to.equal('"a b"');
  });

  it('waits in virtual time inside a simulation, and shows a wait without end', async () => {
    await simulate({ trials: 1, order: 'node' }, async () => {
      const inside = new RedisServer();
      await inside.listen();
      const [one, two] = [await RawClient.connect(6379), await RawClient.connect(6379)];
      await one.command('SET key value EX 3600');
      const began = Date.now();
      expect(await two.command('BLPOP list 3599')).to.equal('nil-array');
      expect(Date.now() - began).to.be.within(3_599_000, 3_600_000);
      expect(await one.command('TTL key')).to.equal(':1');
      expect(await two.command('BLPOP list 2')).to.equal('nil-array');
      expect(await one.command('GET key')).to.equal('nil');
      one.close();
      two.close();
      await inside.close();
    });
    const stuck = await simulate({ trials: 1, order: 'node' }, async () => {
      const inside = new RedisServer();
      await inside.listen();
      await (await RawClient.connect(6379)).command('BLPOP list 0');
    }).catch((error: Error) => error.message);
    expect(stuck).to.match(/deadlock|never settles|waits/i);
  });
});
