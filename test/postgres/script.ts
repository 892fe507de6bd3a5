/**
 * Scripts of several sessions, and what a server answers to them, as text.
 *
 * A line `2: SQL` runs in session 2 and waits for the answer; `2~ SQL` has to wait for another
 * session; `2<` is the answer to it. A line that begins with `#` names a case, which starts anew
 * with nothing but the schema `public`.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export interface Server {
  readonly port: number;
  /** Milliseconds in which a statement that does not wait is surely through. */
  readonly patience: number;
}

type Answer = Promise<string[]>;

async function connect({ port }: Server): Promise<Client> {
  const raw = { getTypeParser: () => (value: unknown) => value };
  const options = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' };
  const client = new Client({ ...options, types: raw as never });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const FIELDS = ['detail', 'schema', 'table', 'column', 'constraint'] as const;

function shownError(error: any): string[] {
  const fields = FIELDS.flatMap((name) => {
    const value: string | undefined = error[name];
    // Numbers of processes and transactions are not those of another server.
    return value === undefined ? [] : [`  ${name}: ${value.replace(/\b\d{3,}\b/g, 'N')}`];
  });
  const retry = error.code === '40P01' || error.code === '40001' ? [] : fields;
  return [`ERROR ${error.code}: ${error.message}`, ...retry];
}

async function run(client: Client, sql: string): Answer {
  try {
    const given = await client.query({ text: sql, rowMode: 'array' });
    const result: any = Array.isArray(given) ? given.at(-1) : given;
    const lines: string[] = [];
    if (result.fields.length > 0) {
      // Types that the script made have numbers of their own on each server.
      const names = result.fields.map(({ name, dataTypeID: type }: any) =>
        type < 16_384 ? `${name}:${type}` : `${name}:own`,
      );
      lines.push(names.join(' '));
      for (const row of result.rows) {
        lines.push(row.map((value: string | null) => value ?? 'NULL').join('|'));
      }
    }
    return [...lines, [result.command, result.rowCount].filter((part) => part !== null).join(' ')];
  } catch (error) {
    return shownError(error);
  }
}

/** @returns the script with the answers after each of its lines */
export async function play(script: string, server: Server): Promise<string> {
  const output: string[] = [];
  let sessions = new Map<string, Client>();
  let waiting = new Map<string, Answer>();
  const begin = async () => {
    for (const client of sessions.values()) await client.end();
    sessions = new Map();
    waiting = new Map();
    const client = await connect(server);
    await client.query('DROP SCHEMA IF EXISTS public CASCADE');
    await client.query('CREATE SCHEMA public');
    await client.end();
  };
  for (const line of script.split('\n')) {
    if (line.trim() === '' || line.startsWith('--')) continue;
    output.push(line);
    if (line.startsWith('#')) {
      await begin();
      continue;
    }
    const [, name, mark, sql] = /^(\d+)([:~<])\s?(.*)$/.exec(line)!;
    if (!sessions.has(name!)) sessions.set(name!, await connect(server));
    const client = sessions.get(name!)!;
    if (mark === '<') output.push(...(await waiting.get(name!)!));
    else if (mark === ':') output.push(...(await run(client, sql!)));
    else {
      const answer = run(client, sql!);
      waiting.set(name!, answer);
      const early = await Promise.race([answer, sleep(server.patience)]);
      output.push(early === undefined ? 'waits' : `does not wait: ${early.join(' / ')}`);
    }
  }
  await begin();
  for (const client of sessions.values()) await client.end();
  return `${output.join('\n')}\n`;
}
