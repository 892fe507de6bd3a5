/** The HTTP API: transfers between accounts, and payments from outside, which the worker books. */

import http from 'node:http';
import { Pool } from 'pg';

const pool = new Pool({ host: 'db', user: 'bank', database: 'postgres', max: 4 });

/** Moves money from one account to another. */
async function transfer(from: string, to: string, amount: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query('SELECT balance FROM accounts WHERE name = $1', [from]);
    const { balance } = rows[0] as { balance: number };
    if (balance < amount) throw new Error('not enough money');
    await client.query('UPDATE accounts SET balance = $1 WHERE name = $2', [
      balance - amount,
      from,
    ]);
    await client.query('UPDATE accounts SET balance = balance + $1 WHERE name = $2', [amount, to]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** Takes note of a payment. */
async function pay(account: string, amount: number): Promise<void> {
  await pool.query('INSERT INTO payments (account, amount) VALUES ($1, $2)', [account, amount]);
}

async function answer(url: URL): Promise<void> {
  const text = (name: string): string => url.searchParams.get(name) ?? '';
  const amount = Number(text('amount'));
  if (url.pathname === '/transfer') await transfer(text('from'), text('to'), amount);
  else await pay(text('account'), amount);
}

http
  .createServer((request, response) => {
    answer(new URL(request.url ?? '', 'http://api')).then(
      () => response.end('done'),
      (error: Error) => {
        response.statusCode = 409;
        response.end(error.message);
      },
    );
  })
  .listen(80);
