/**
 * What a real Redis answers to commands, recorded: files of test/fixtures/redis, each a command per
 * line and its reply behind an arrow.
 *
 *     node dist/test/redis/recorded.js [port]
 *
 * asks a Redis again and writes the files anew. A `~` before a command says that the order of the
 * items of its reply is free; the items are sorted then.
 */

import fs from 'node:fs';
import path from 'node:path';
import { RawClient } from './raw-client.js';

const folder = path.join(__dirname, '..', '..', '..', 'test', 'fixtures', 'redis');
const ARROW = '\n    -> ';

export interface Recorded {
  readonly command: string;
  readonly reply: string;
}

export const recordedFiles = (): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort();

export function readRecorded(name: string): Recorded[] {
  const text = fs.readFileSync(path.join(folder, name), 'utf8');
  return text
    .replaceAll(ARROW, '\0')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [command, reply = ''] = line.split('\0');
      return { command, reply };
    });
}

/** A reply whose items come in any order. */
function sorted(reply: string): string {
  const items = /^([~*]?)\[(.*)\]$/.exec(reply);
  return items === null ? reply : `${items[1]}[${items[2].split(' ').sort().join(' ')}]`;
}

/** What the server at a port answers to the commands of a file, from an empty database on. */
export async function ask(port: number, name: string): Promise<Recorded[]> {
  const client = await RawClient.connect(port);
  for (const command of ['FLUSHALL', 'SCRIPT FLUSH', 'FUNCTION FLUSH']) {
    await client.command(command);
  }
  if (name.startsWith('resp3')) await client.command('HELLO 3');
  const answers: Recorded[] = [];
  for (const { command } of readRecorded(name)) {
    const free = command.startsWith('~ ');
    const reply = await client.command(free ? command.slice(2) : command);
    answers.push({ command, reply: free ? sorted(reply) : reply });
  }
  client.close();
  return answers;
}

async function record(port: number): Promise<void> {
  for (const name of recordedFiles()) {
    const lines = (await ask(port, name)).map(
      ({ command, reply }) => `${command}${ARROW}${reply}\n`,
    );
    fs.writeFileSync(path.join(folder, name), lines.join(''));
  }
}

if (require.main === module) void record(Number(process.argv[2] ?? 6379));
