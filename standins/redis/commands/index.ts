/**
 * All commands by name.
 */

import { ErrorReply } from '../reply.js';
import { bits } from './bits.js';
import { type Command, type CommandTable, wrongArity } from './command.js';
import { connection } from './connection.js';
import { expiry } from './expiry.js';
import { geo } from './geo.js';
import { hashes } from './hashes.js';
import { hyperloglog } from './hyperloglog.js';
import { keys } from './keys.js';
import { lists } from './lists.js';
import { pubsub } from './pubsub.js';
import { scan } from './scan.js';
import { scripting } from './scripting.js';
import { server } from './server.js';
import { sets } from './sets.js';
import { sortedSetAlgebra } from './sorted-set-algebra.js';
import { sortedSetRanges } from './sorted-set-ranges.js';
import { sortedSets } from './sorted-sets.js';
import { sorting } from './sorting.js';
import { streamGroups } from './stream-groups.js';
import { streams } from './streams.js';
import { strings } from './strings.js';
import { transactions } from './transactions.js';

const tables: readonly CommandTable[] = [
  strings,
  bits,
  keys,
  expiry,
  scan,
  sorting,
  hashes,
  lists,
  sets,
  sortedSets,
  sortedSetRanges,
  sortedSetAlgebra,
  streams,
  streamGroups,
  hyperloglog,
  geo,
  pubsub,
  transactions,
  scripting,
  connection,
  server,
];

/** By name; subcommands as `client|id`. */
export const commands: ReadonlyMap<string, Command> = new Map(
  tables.flatMap((table) =>
    Object.entries(table).map(([name, declared]) => [name, { ...declared, name }]),
  ),
);

const containers = new Set(
  [...commands.keys()].filter((name) => name.includes('|')).map((name) => name.split('|')[0]),
);

const SHOWN_BYTES = 128;

/**
 * The command that a request names.
 * @throws {ErrorReply} when there is none, or it has not so many words
 */
export function commandOf(words: readonly string[]): Command {
  const name = words[0].toLowerCase();
  const command =
    containers.has(name) && words.length > 1 ? subcommand(name, words) : commands.get(name);
  if (command === undefined) {
    if (containers.has(name)) throw wrongArity(name);
    let shown = '';
    for (const word of words.slice(1)) {
      if (shown.length >= SHOWN_BYTES) break;
      shown += `'${word.slice(0, SHOWN_BYTES - shown.length)}' `;
    }
    throw new ErrorReply(
      `ERR unknown command '${words[0].slice(0, SHOWN_BYTES)}', with args beginning with: ${shown}`,
    );
  }
  const { arity } = command;
  if (arity >= 0 ? words.length !== arity : words.length < -arity) throw wrongArity(command.name);
  return command;
}

function subcommand(name: string, words: readonly string[]): Command {
  const command = commands.get(`${name}|${words[1].toLowerCase()}`) ?? commands.get(name);
  if (command !== undefined) return command;
  const shown = words[1].slice(0, SHOWN_BYTES);
  throw new ErrorReply(`ERR unknown subcommand '${shown}'. Try ${name.toUpperCase()} HELP.`);
}
