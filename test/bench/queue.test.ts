/** The benchmark of the queue in a small size: it gives its figures, and no seed is lost. */

import { expect } from 'chai';
import { benchQueue } from '../../bench/queue.js';
import { hasRedis } from '../../bench/queue/redis-server.js';

describe('bench queue', () => {
  it('measures every figure, and loses no seed', async function () {
    if (!hasRedis()) this.skip();
    this.timeout(120_000);
    const size = { trials: 300, workers: [1], rounds: 1, kills: 1 };
    const { figures, wrong } = await benchQueue(size);
    expect(figures.map(({ figure }) => figure)).to.deep.equal([
      'trials on a queue, 1 worker',
      'time without work, 1 worker',
      'commands of Redis for each batch',
      'memory of Redis for each batch that is done',
      'seeds lost or doubled, 1 kills',
    ]);
    for (const { value } of figures.slice(0, 1)) expect(value).to.be.greaterThan(0);
    expect(wrong).to.equal(0);
  });
});
