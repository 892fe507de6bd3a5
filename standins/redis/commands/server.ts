/**
 * Commands about the server: what it is, how it is set, what it can do.
 */

import { notificationKinds } from '../config.js';
import { glob } from '../glob.js';
import { infoText } from '../info.js';
import { integer } from '../numbers.js';
import { fail, MapReply, OK, type Reply, SetReply, Status, Verbatim } from '../reply.js';
import type { Session } from '../session.js';
import { admin, type Command, type CommandTable, wrongArity } from './command.js';
import { commandOf, commands } from './index.js';

function configGet({ database }: Session, [, , ...patterns]: string[]): Reply {
  const tests = patterns.map((pattern) => glob(pattern.toLowerCase()));
  const found = [...database.engine.config].filter(([name]) => tests.some((test) => test(name)));
  return new MapReply(found.flat());
}

function configSet({ database }: Session, words: string[]): Reply {
  if (words.length % 2 !== 0) throw wrongArity('config|set');
  const { engine } = database;
  for (let i = 2; i < words.length; i += 2) {
    const name = words[i].toLowerCase();
    if (!engine.config.has(name)) {
      return fail(`ERR Unknown option or number of arguments for CONFIG SET - '${words[i]}'`);
    }
    const kinds = name === 'notify-keyspace-events' ? notificationKinds(words[i + 1]) : undefined;
    if (name === 'notify-keyspace-events' && kinds === undefined) {
      return fail(
        `ERR CONFIG SET failed (possibly related to argument '${words[i]}') - Invalid event class character. Use 'Ag$lshzxeKEtmdn'.`,
      );
    }
    engine.config.set(name, kinds ?? words[i + 1]);
    if (kinds !== undefined) engine.expiry.restart();
  }
  return OK;
}

/** What COMMAND INFO says of a command. */
function about({ name, arity, flags, keys }: Command): Reply {
  const statuses = (words: readonly string[]) =>
    new SetReply(words.map((word) => new Status(word)));
  const category = flags.includes('write')
    ? '@write'
    : flags.includes('readonly')
      ? '@read'
      : '@slow';
  return [name, arity, statuses(flags), ...keys, statuses([category]), [], [], []];
}

const mainCommands = (): Command[] =>
  [...commands.values()].filter(({ name }) => !name.includes('|'));

/** The keys among the words of a command. */
function keysOf(words: string[]): Reply {
  const { keys, name } = commandOf(words);
  const [first, last, step] = keys;
  if (name === 'eval' || name === 'evalsha' || name === 'fcall') {
    return words.slice(3, 3 + integer(words[2]));
  }
  if (first === 0) return fail('ERR The command has no key arguments');
  const end = last < 0 ? words.length + last : last;
  return words.filter((_, i) => i >= first && i <= end && (i - first) % step === 0);
}

function time({ database }: Session): Reply {
  const { now } = database.engine;
  return [String(Math.floor(now / 1000)), String(Math.round((now % 1000) * 1000))];
}

export const server: CommandTable = {
  info: admin(
    -1,
    ({ database }, [, ...sections]) => new Verbatim(infoText(database.engine, sections)),
  ),
  time: admin(1, time),
  lastsave: admin(1, ({ database }) => Math.floor(database.engine.started / 1000)),
  save: admin(1, () => OK, 'noscript'),
  bgsave: admin(-1, () => new Status('Background saving started'), 'noscript'),
  bgrewriteaof: admin(1, () => new Status('Background append only file rewriting started')),
  role: admin(1, () => ['master', 0, []], 'noscript'),
  replicaof: admin(3, () => OK, 'noscript'),
  'config|get': admin(-3, configGet, 'noscript'),
  'config|set': admin(-4, configSet, 'noscript'),
  'config|resetstat': admin(2, () => OK, 'noscript'),
  'config|rewrite': admin(2, () => fail('ERR The server is running without a config file')),
  command: admin(1, () => mainCommands().map(about)),
  'command|count': admin(2, () => mainCommands().length),
  'command|list': admin(-2, () => mainCommands().map(({ name }) => name)),
  'command|info': admin(-2, (_, [, , ...names]) => {
    if (names.length === 0) return mainCommands().map(about);
    return names.map((name) => {
      const command = commands.get(name.toLowerCase());
      return command === undefined ? null : about(command);
    });
  }),
  'command|docs': admin(-2, () => new MapReply([])),
  'command|getkeys': admin(-4, (_, [, , ...words]) => keysOf(words)),
  'slowlog|get': admin(-2, () => []),
  'slowlog|len': admin(2, () => 0),
  'slowlog|reset': admin(2, () => OK),
  'latency|latest': admin(2, () => []),
  'latency|reset': admin(-2, () => 0),
  'module|list': admin(2, () => []),
  'acl|whoami': admin(2, ({ user }) => user),
  'acl|list': admin(2, () => ['user default on nopass sanitize-payload ~* &* +@all']),
  'acl|users': admin(2, () => ['default']),
  'cluster|info': admin(-2, () => fail('ERR This instance has cluster support disabled')),
  'cluster|slots': admin(-2, () => fail('ERR This instance has cluster support disabled')),
  'cluster|nodes': admin(-2, () => fail('ERR This instance has cluster support disabled')),
  'debug|set-active-expire': admin(3, () => OK),
};
