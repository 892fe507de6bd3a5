/** The worker: books payments, the oldest first. What it was at when it crashed it does again. */

import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

interface Payment {
  readonly id: number;
  readonly account: string;
  readonly amount: number;
}

async function work(): Promise<void> {
  const client = new Client({ host: 'db', user: 'bank', database: 'postgres' });
  await client.connect();
  for (;;) {
    const { rows } = await client.query<Payment>(
      'SELECT id, account, amount FROM payments WHERE NOT done ORDER BY id LIMIT 1',
    );
    if (rows.length === 0) {
      await sleep(100);
      continue;
    }
    const { id, account, amount } = rows[0]!;
    await client.query('UPDATE accounts SET balance = balance + $1 WHERE name = $2', [
      amount,
      account,
    ]);
    await client.query('UPDATE payments SET done = true WHERE id = $1', [id]);
  }
}

void work();
