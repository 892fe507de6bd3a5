/**
 * The tests of the pool: they pass, time after time, and two of them should not.
 */

import { expect } from 'chai';
import { WorkerPool } from '../src/pool';
import { TokenBudget } from '../src/token';
import { MemoryStore } from './support/memory-store';

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Gives a pool that lets two jobs run at a time, and 10 tokens to spend. */
async function makePool() {
  const budget = new TokenBudget(new MemoryStore(), 'acme');
  await budget.grant(10);
  const pool = new WorkerPool({ budget, limit: async () => 2 });
  return { pool, budget };
}

describe('WorkerPool', () => {
  it('never over-admits', async () => {
    const { pool } = await makePool();
    let peak = 0;
    const request = async (arrives: number) => {
      await sleep(arrives);
      await pool.run(async () => {
        peak = Math.max(peak, pool.running);
        await sleep(20);
      });
    };

    await Promise.all([request(0), request(4), request(8)]);

    expect(peak).to.be.at.most(2);
  });

  it('spends one token for each job', async () => {
    const { pool, budget } = await makePool();

    await Promise.all([pool.run(() => sleep(5)), pool.run(() => sleep(10))]);

    expect(await budget.left()).to.equal(8);
  });

  it('gives each caller the result of its own job', async () => {
    const { pool } = await makePool();
    const square = (n: number) =>
      pool.run(async () => {
        await sleep(10 - n);
        return n * n;
      });

    const results = await Promise.all([1, 2, 3, 4].map(square));

    expect(results).to.deep.equal([1, 4, 9, 16]);
  });
});
