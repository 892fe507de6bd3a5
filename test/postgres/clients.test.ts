/** Clients as they are, on real sockets: what they ask for, and what they are told. */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Client, Pool } from 'pg';
import postgres from 'postgres';
import { PostgresServer } from '../../standins/postgres/index.js';

const setup = `
  CREATE TABLE t (id serial PRIMARY KEY, v int, j jsonb, tags text[], n numeric, big bigint, b bytea);
`;

describe('postgres: clients', function () {
  this.timeout(20_000);
  let server: PostgresServer;
  let options: { host: string; port: number; user: string; database: string };

  beforeEach(async () => {
    server = await new PostgresServer({ setup }).listen(0);
    const { port } = server.address();
    options = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' };
  });
  afterEach(() => server.close());

  it('pg: values of every kind go in and come out, by named statements', async () => {
    const client = new Client(options);
    await client.connect();
    const text =
      'INSERT INTO t (v, j, tags, n, big, b) VALUES ($1, $2, $3, $4, $5, $6) RETURNING *';
    const values = [7, { a: [1] }, ['x', 'y z'], '1.50', '9007199254740993', Buffer.from('hi')];
    for (const id of [1, 2]) {
      const { rows } = await client.query({ name: 'insert', text, values });
      const [v, j, tags, n, big, b] = values;
      expect(rows).to.deep.equal([{ id, v, j, tags, n, big, b }]);
    }
    await client.end();
    expect(server.run('SELECT count(*) FROM t')).to.deep.equal([{ count: '2' }]);
  });

  it('pg: a pool, notifications, cancelling, errors that name what is not supported', async () => {
    const pool = new Pool({ ...options, max: 2 });
    const sums = [1, 2, 3].map((n) => pool.query('SELECT $1::int + 1 AS n', [n]));
    expect((await Promise.all(sums)).map(({ rows }) => rows[0].n)).to.deep.equal([2, 3, 4]);
    const client = new Client(options);
    await client.connect();
    await client.query('LISTEN news');
    const heard = once(client, 'notification');
    await pool.query("NOTIFY news, 'hello'");
    expect((await heard)[0]).to.include({ channel: 'news', payload: 'hello' });
    const [{ pid }] = (await client.query('SELECT pg_backend_pid() AS pid')).rows;
    const asleep = client.query('SELECT pg_sleep(60)').catch((error) => error.code);
    await sleep(20);
    await pool.query('SELECT pg_cancel_backend($1)', [pid]);
    expect(await asleep).to.equal('57014');
    const refused = await client.query('COPY t FROM stdin').catch((error) => error);
    expect(refused.code).to.equal('0A000');
    expect(refused.message).to.match(/^COPY is not supported/);
    await client.end();
    await pool.end();
  });

  it('postgres.js: transactions, savepoints, arrays and cursors', async () => {
    const sql = postgres({ ...options, max: 2 });
    await sql`INSERT INTO t ${sql([{ v: 1 }, { v: 2 }], 'v')}`;
    await sql.begin(async (tx) => {
      await tx`UPDATE t SET v = v + 10 WHERE v IN ${sql([1, 2])}`;
      const failed = await tx.savepoint((inner) => inner`SELECT 1 / 0`).catch((error) => error);
      expect(failed.code).to.equal('22012');
    });
    expect([...(await sql`SELECT v FROM t ORDER BY v`)]).to.deep.equal([{ v: 11 }, { v: 12 }]);
    const batches: number[] = [];
    for await (const rows of sql`SELECT n FROM generate_series(1, 5) n`.cursor(2)) {
      batches.push(rows.length);
    }
    expect(batches).to.deep.equal([2, 2, 1]);
    await sql.end();
  });
});
