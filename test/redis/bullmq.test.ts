/** BullMQ, most of which is scripts in Lua, on the stand-in: on loopback and in a simulation. */

import { expect } from 'chai';
import { simulate } from '../../index.js';
import { RedisServer } from '../../standins/redis/index.js';
import { type JobResults, runJobs } from './bullmq-jobs.js';

const MINUTE = 60 * 1000;

function check({ results, tries, limited, rescued }: JobResults): void {
  expect(results).to.deep.equal([2, 4, 6, 8]);
  expect(tries).to.deep.equal({ plain: 1, flaky: 3, late: 1, urgent: 1 });
  expect(limited).to.have.length(5);
  // The fifth job has to wait for the third 50 ms; timers are late, not early.
  expect(limited[4]).to.be.at.least(95);
  expect(rescued).to.equal('done by the heir');
}

describe('BullMQ on the Redis stand-in', function () {
  this.timeout(60_000);

  it('runs on loopback', async () => {
    const server = new RedisServer();
    await server.listen(0);
    check(await runJobs(server.address()!.port, 30, 300));
    await server.close();
  });

  it('runs in simulations, and minutes pass in no time', async () => {
    const { trials } = await simulate({ trials: 3, order: 'node', failOn: 'node' }, async () => {
      const server = new RedisServer();
      await server.listen();
      const began = Date.now();
      check(await runJobs(6379, MINUTE, 30_000));
      expect(Date.now() - began).to.be.within(MINUTE, 5 * MINUTE);
      await server.close();
    });
    expect(trials).to.equal(3);
  });
});
