/** The whole bank, each part on a host of its own. */

import assert from 'node:assert/strict';
import http from 'node:http';
import { Client } from 'pg';
import { millisecond, scenario, second, sleep, type HostOptions, type Sim } from 'detsim';

async function start(sim: Sim, worker: HostOptions = {}): Promise<void> {
  await sim.host('db', '../src/database.ts').ready;
  await sim.host('api', '../src/api.ts').ready;
  sim.host('worker', '../src/worker.ts', worker);
}

/** Asks the API; gives the status of the answer. */
function ask(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: 'api', path, method: 'POST', agent: false });
    request.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    request.on('error', reject).end();
  });
}

async function balances(): Promise<Record<string, number>> {
  const client = new Client({ host: 'db', user: 'bank', database: 'postgres' });
  await client.connect();
  const { rows } = await client.query<{ name: string; balance: number }>(
    'SELECT name, balance FROM accounts',
  );
  await client.end();
  return Object.fromEntries(rows.map(({ name, balance }) => [name, balance]));
}

scenario('transfers neither make money nor lose it', async (sim) => {
  await start(sim);
  const first = ask('/transfer?from=alice&to=bob&amount=30');
  await sleep(20 * millisecond);
  await ask('/transfer?from=alice&to=carol&amount=50');
  await first;
  const { alice, bob, carol } = await balances();
  assert.equal(alice! + bob! + carol!, 100);
});

scenario('a payment is booked once, even if the worker crashes', async (sim) => {
  await start(sim, { faults: { crash: 0.05 } });
  assert.equal(await ask('/pay?account=bob&amount=10'), 200);
  assert.equal(await ask('/pay?account=carol&amount=5'), 200);
  await sleep(2 * second);
  sim.heal();
  await sleep(2 * second);
  const { bob, carol } = await balances();
  assert.deepEqual({ bob, carol }, { bob: 10, carol: 5 });
});
