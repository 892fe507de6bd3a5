/**
 * Statements a second of the PostgreSQL stand-in inside a simulation, by `pg` as it is.
 *
 *     node dist/bench/postgres.js [--json] [--statements=2000] [--rounds=5]
 *
 * One client sends a statement when the last one is answered. The figures are medians of the
 * rounds.
 */

import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { Sim } from '../index.js';
import { PostgresServer } from '../standins/postgres/index.js';
import { figure, median, printFigures, type Figure } from './figures.js';
import { onItsOwn } from './on-its-own.js';

const setup = `
  CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL);
  INSERT INTO counters SELECT id, 0 FROM generate_series(1, 100) id;
`;

const STATEMENTS: Readonly<Record<string, string>> = {
  'a row by its key': 'SELECT n FROM counters WHERE id = $1',
  'an update by the key': 'UPDATE counters SET n = n + 1 WHERE id = $1',
};

/** What has happened in a simulation is over when it returns: the sum of the counters. */
function simulated(text: string, statements: number): string {
  let sum = '';
  new Sim({ seed: 0 }).runBody(async () => {
    const server = await new PostgresServer({ setup }).listen();
    const client = new Client({ host: '127.0.0.1', user: 'postgres', database: 'postgres' });
    await client.connect();
    for (let i = 0; i < statements; i += 1) {
      await client.query({ name: 'one', text, values: [(i % 100) + 1] });
    }
    await client.end();
    sum = server.run('SELECT sum(n) AS sum FROM counters')[0]!.sum!;
    await server.close();
  });
  return sum;
}

export async function benchPostgres(
  statements: number,
  rounds: number,
): Promise<{ figures: Figure[]; work: string }> {
  const work: string[] = [];
  const figures: Figure[] = [];
  for (const [name, text] of Object.entries(STATEMENTS)) {
    const rates: number[] = [];
    // The first round warms up.
    for (let i = 0; i <= rounds; i += 1) {
      const start = process.hrtime.bigint();
      work.push(await onItsOwn(() => simulated(text, statements)));
      const rate = statements / (Number(process.hrtime.bigint() - start) / 1e9);
      if (i > 0) rates.push(rate);
    }
    const value = median(rates);
    figures.push(figure({ bench: 'postgres', figure: name, value, unit: '/s', against: {} }));
  }
  return { figures, work: work.join(' ') };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      statements: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const { figures } = await benchPostgres(Number(values.statements), Number(values.rounds));
  printFigures(figures, values.json);
}

if (require.main === module) void main();
