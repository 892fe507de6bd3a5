/**
 * Commands on sets.
 */

import type { Database } from '../database.js';
import { integer, naturalNumber } from '../numbers.js';
import { fail, type Reply, SetReply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { ALL_KEYS, type CommandTable, read, write } from './command.js';
import { Options } from './options.js';
import { draw } from './random.js';

type Combine = (sets: ReadonlySet<string>[]) => Set<string>;

const create = (): Set<string> => new Set();
const EMPTY: ReadonlySet<string> = new Set();

const union: Combine = (sets) => new Set(sets.flatMap((set) => [...set]));
const intersection: Combine = ([first, ...others]) =>
  new Set([...first].filter((member) => others.every((other) => other.has(member))));
const difference: Combine = ([first, ...others]) =>
  new Set([...first].filter((member) => !others.some((other) => other.has(member))));

function combined(database: Database, keys: string[], combine: Combine): Set<string> {
  return combine(keys.map((key) => database.members(key) ?? EMPTY));
}

const combination =
  (combine: Combine) =>
  ({ database }: Session, [, ...keys]: string[]): Reply =>
    new SetReply([...combined(database, keys, combine)]);

const storing =
  (combine: Combine, event: string) =>
  ({ database }: Session, [, target, ...keys]: string[]): Reply => {
    const result = combined(database, keys, combine);
    if (result.size === 0) {
      database.delete(target);
      return 0;
    }
    database.set(target, result);
    database.changed(target, event, 's');
    return result.size;
  };

function pop({ database }: Session, words: string[]): Reply {
  const key = words[1];
  if (words.length > 3) return syntaxError();
  const count =
    words.length === 3
      ? naturalNumber(words[2], 'ERR value is out of range, must be positive')
      : undefined;
  const set = database.members(key);
  if (set === undefined) return count === undefined ? null : new SetReply([]);
  const popped = draw([...set], count ?? 1);
  for (const member of popped) set.delete(member);
  if (popped.length > 0) database.shrunk(key, set, 'spop', 's');
  return count === undefined ? popped[0] : new SetReply(popped);
}

function move({ database }: Session, [, from, to, member]: string[]): Reply {
  const source = database.members(from);
  const target = database.members(to);
  if (source === undefined || !source.has(member)) return 0;
  if (from === to) return 1;
  source.delete(member);
  database.shrunk(from, source, 'srem', 's');
  database.obtain(to, target, create).add(member);
  database.changed(to, 'sadd', 's');
  return 1;
}

function intersectionSize({ database }: Session, words: string[]): Reply {
  const error = 'ERR numkeys should be greater than 0';
  const options = new Options(words, 1);
  const count = integer(options.value(), error);
  if (count <= 0) return fail(error);
  if (count > options.left) {
    return fail("ERR Number of keys can't be greater than number of args");
  }
  const keys = Array.from({ length: count }, () => options.value());
  let limit = 0;
  if (options.left > 0) {
    if (!options.is('limit')) return syntaxError();
    limit = naturalNumber(options.value(), "ERR LIMIT can't be negative");
    if (options.left > 0) syntaxError();
  }
  const { size } = combined(database, keys, intersection);
  return limit === 0 ? size : Math.min(size, limit);
}

export const sets: CommandTable = {
  sadd: write(-3, ({ database }, [, key, ...members]) => {
    const set = database.obtain(key, database.members(key), create);
    const before = set.size;
    for (const member of members) set.add(member);
    if (set.size > before) database.changed(key, 'sadd', 's');
    return set.size - before;
  }),
  srem: write(-3, ({ database }, [, key, ...members]) => {
    const set = database.members(key);
    if (set === undefined) return 0;
    const removed = members.filter((member) => set.delete(member)).length;
    if (removed > 0) database.shrunk(key, set, 'srem', 's');
    return removed;
  }),
  smembers: read(2, ({ database }, [, key]) => new SetReply([...(database.members(key) ?? [])])),
  scard: read(2, ({ database }, [, key]) => database.members(key)?.size ?? 0),
  sismember: read(
    3,
    ({ database }, [, key, member]) => +(database.members(key) ?? EMPTY).has(member),
  ),
  smismember: read(-3, ({ database }, [, key, ...members]) => {
    const set = database.members(key) ?? EMPTY;
    return members.map((member) => +set.has(member));
  }),
  srandmember: read(-2, ({ database }, words) => {
    const members = [...(database.members(words[1]) ?? [])];
    if (words.length > 3) return syntaxError();
    return words.length === 2 ? (draw(members, 1)[0] ?? null) : draw(members, integer(words[2]));
  }),
  spop: write(-2, pop),
  smove: write(4, move, [1, 2, 1]),
  sunion: read(-2, combination(union), ALL_KEYS),
  sinter: read(-2, combination(intersection), ALL_KEYS),
  sdiff: read(-2, combination(difference), ALL_KEYS),
  sunionstore: write(-3, storing(union, 'sunionstore'), ALL_KEYS),
  sinterstore: write(-3, storing(intersection, 'sinterstore'), ALL_KEYS),
  sdiffstore: write(-3, storing(difference, 'sdiffstore'), ALL_KEYS),
  sintercard: read(-3, intersectionSize, [0, 0, 0]),
};
