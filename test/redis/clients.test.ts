/** The clients that people use talk to the stand-in over real loopback. */

import { once } from 'node:events';
import { expect } from 'chai';
import Redis from 'ioredis';
import { createClient } from 'redis';
import { RedisServer } from '../../standins/redis/index.js';

describe('the Redis stand-in on loopback', () => {
  const server = new RedisServer();
  let port = 0;

  before(async () => {
    await server.listen(0);
    port = server.address()!.port;
  });

  after(() => server.close());

  it('serves ioredis: values, pipelines, blocking pops, transactions', async () => {
    const client = new Redis(port);
    const waiting = client.duplicate();
    expect(await client.set('text', 'é')).to.equal('OK');
    expect(await client.get('text')).to.equal('é');
    expect(await client.pipeline().incr('n').incr('n').exec()).to.deep.equal([
      [null, 1],
      [null, 2],
    ]);
    const popped = waiting.brpop('jobs', 0);
    await client.lpush('jobs', 'first');
    expect(await popped).to.deep.equal(['jobs', 'first']);
    await waiting.watch('n');
    await client.incr('n');
    expect(await waiting.multi().set('n', 0).exec()).to.equal(null);
    const error = await client.lpush('n', 'x').catch((reason: Error) => reason);
    expect((error as Error).message).to.equal(
      'WRONGTYPE Operation against a key holding the wrong kind of value',
    );
    client.disconnect();
    waiting.disconnect();
  });

  for (const RESP of [2, 3] as const) {
    it(`serves node-redis in RESP${RESP}: hashes, sorted sets, scans, channels`, async () => {
      const client = createClient({ url: `redis://127.0.0.1:${port}/${RESP}`, RESP });
      await client.connect();
      expect(await client.hSet('hash', { a: 1, b: 2 })).to.equal(2);
      expect({ ...(await client.hGetAll('hash')) }).to.deep.equal({ a: '1', b: '2' });
      await client.zAdd('zset', [{ score: 1.5, value: 'k' }]);
      expect(await client.zRangeWithScores('zset', 0, -1)).to.deep.equal([
        { value: 'k', score: 1.5 },
      ]);
      expect(await client.multi().set('text', '1').get('text').exec()).to.deep.equal(['OK', '1']);
      const keys: string[] = [];
      for await (const some of client.scanIterator()) keys.push(...some);
      expect(keys.sort()).to.deep.equal(['hash', 'text', 'zset']);
      const listener = client.duplicate();
      await listener.connect();
      const heard = once(listener, 'heard');
      await listener.subscribe('news', (message) => listener.emit('heard', message));
      expect(await client.publish('news', 'hello')).to.equal(1);
      expect(await heard).to.deep.equal(['hello']);
      client.destroy();
      listener.destroy();
    });
  }
});
