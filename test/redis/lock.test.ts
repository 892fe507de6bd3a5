/** A lock of node-redis by SET NX PX: one that expires too soon is found out, one that lasts is not. */

import { expect } from 'chai';
import { createClient } from 'redis';
import { FindingError, simulate } from '../../index.js';
import { RedisServer } from '../../standins/redis/index.js';

/** Releases the lock, unless somebody else has it by now. */
const RELEASE = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  return 0`;

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Two owners want a lock for 8 ms of work each; it expires by itself after some time. */
async function twoOwners(expiry: number): Promise<void> {
  const server = new RedisServer();
  await server.listen();
  const clients = await Promise.all([1, 2].map(() => createClient().connect()));
  let inside = 0;
  let overlaps = 0;
  await Promise.all(
    clients.map(async (client, i) => {
      const owner = `owner ${i}`;
      while ((await client.set('lock', owner, { NX: true, PX: expiry })) === null) await later(2);
      if (++inside > 1) overlaps++;
      await later(8);
      inside--;
      await client.eval(RELEASE, { keys: ['lock'], arguments: [owner] });
    }),
  );
  for (const client of clients) client.destroy();
  await server.close();
  expect(overlaps).to.equal(0);
}

describe('a lock on the Redis stand-in', function () {
  this.timeout(60_000);

  it('that expires too soon is found out, in an order of plain Node', async () => {
    const error = await simulate({ trials: 200, order: 'node', failOn: 'node' }, () =>
      twoOwners(10),
    ).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(FindingError);
    expect((error as FindingError).message).to.contain('Rung node');
  });

  it('that lasts as long as the work fails in no order', async () => {
    const { hazards } = await simulate({ trials: 40, order: 'node', failOn: 'node' }, () =>
      twoOwners(3_600_000),
    );
    expect(hazards).to.deep.equal([]);
  });
});
