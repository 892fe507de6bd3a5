/**
 * Commands on hashes.
 */

import { addDecimals, bigInteger, double, fits, integer } from '../numbers.js';
import { ByProtocol, fail, MapReply, OK, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { type CommandTable, read, write, wrongArity } from './command.js';
import { draw } from './random.js';
import { Options } from './options.js';
import type { Hash } from '../values/index.js';

const create = (): Hash => new Map<string, string>();

function setFields({ database }: Session, words: string[]): number {
  if (words.length % 2 !== 0) throw wrongArity(words[0].toLowerCase());
  const key = words[1];
  const hash = database.obtain(key, database.hash(key), create);
  const before = hash.size;
  for (let i = 2; i < words.length; i += 2) hash.set(words[i], words[i + 1]);
  database.changed(key, 'hset', 'h');
  return hash.size - before;
}

function addTo(
  { database }: Session,
  [, key, field, by]: string[],
  sum: (old: string | undefined, by: string) => string,
  event: string,
): string {
  const found = database.hash(key);
  const value = sum(found?.get(field), by);
  database.obtain(key, found, create).set(field, value);
  database.changed(key, event, 'h');
  return value;
}

function sumOf(old: string | undefined, by: string): string {
  const amount = bigInteger(by);
  const sum = bigInteger(old ?? '0', 'ERR hash value is not an integer') + amount;
  return fits(sum) ? String(sum) : fail('ERR increment or decrement would overflow');
}

function sumOfFloats(old: string | undefined, by: string): string {
  double(by);
  double(old ?? '0', 'ERR hash value is not a float');
  return addDecimals(old ?? '0', by);
}

function randomField({ database }: Session, words: string[]): Reply {
  const hash = database.hash(words[1]);
  if (words.length === 2) return hash === undefined ? null : draw([...hash.keys()], 1)[0];
  const options = new Options(words, 2);
  const count = integer(options.value());
  const withValues = options.is('withvalues');
  if (options.left > 0) syntaxError();
  if (hash === undefined) return [];
  const fields = draw([...hash.keys()], count);
  if (!withValues) return fields;
  return new ByProtocol(
    fields.flatMap((field) => [field, hash.get(field)!]),
    fields.map((field) => [field, hash.get(field)!]),
  );
}

export const hashes: CommandTable = {
  hset: write(-4, setFields),
  hmset: write(-4, (session, words) => {
    setFields(session, words);
    return OK;
  }),
  hsetnx: write(4, ({ database }, [, key, field, value]) => {
    const found = database.hash(key);
    if (found?.has(field)) return 0;
    database.obtain(key, found, create).set(field, value);
    database.changed(key, 'hset', 'h');
    return 1;
  }),
  hget: read(3, ({ database }, [, key, field]) => database.hash(key)?.get(field) ?? null),
  hmget: read(-3, ({ database }, [, key, ...fields]) => {
    const hash = database.hash(key);
    return fields.map((field) => hash?.get(field) ?? null);
  }),
  hgetall: read(2, ({ database }, [, key]) => new MapReply([...(database.hash(key) ?? [])].flat())),
  hkeys: read(2, ({ database }, [, key]) => [...(database.hash(key)?.keys() ?? [])]),
  hvals: read(2, ({ database }, [, key]) => [...(database.hash(key)?.values() ?? [])]),
  hlen: read(2, ({ database }, [, key]) => database.hash(key)?.size ?? 0),
  hexists: read(3, ({ database }, [, key, field]) => +(database.hash(key)?.has(field) ?? false)),
  hstrlen: read(3, ({ database }, [, key, field]) => database.hash(key)?.get(field)?.length ?? 0),
  hdel: write(-3, ({ database }, [, key, ...fields]) => {
    const hash = database.hash(key);
    if (hash === undefined) return 0;
    const deleted = fields.filter((field) => hash.delete(field)).length;
    if (deleted > 0) database.shrunk(key, hash, 'hdel', 'h');
    return deleted;
  }),
  hincrby: write(4, (session, words) => BigInt(addTo(session, words, sumOf, 'hincrby'))),
  hincrbyfloat: write(4, (session, words) => addTo(session, words, sumOfFloats, 'hincrbyfloat')),
  hrandfield: read(-2, randomField),
};
