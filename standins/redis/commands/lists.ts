/**
 * Commands on lists, those that wait included.
 */

import type { Database } from '../database.js';
import { integer, naturalNumber } from '../numbers.js';
import { fail, NULL_ARRAY, OK, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { List } from '../values/list.js';
import { blocking, type CommandTable, read, write, wrongArity } from './command.js';
import { Options } from './options.js';
import { timeout } from './timeout.js';

type Side = 'left' | 'right';

const create = (): List => new List();
const NOT_POSITIVE = 'ERR value is out of range, must be positive';

function push({ database }: Session, words: string[], side: Side, onlyIfThere: boolean): Reply {
  const [, key, ...items] = words;
  const found = database.list(key);
  if (onlyIfThere && found === undefined) return 0;
  const list = database.obtain(key, found, create);
  for (const item of items) put(list, item, side);
  database.changed(key, side === 'left' ? 'lpush' : 'rpush', 'l');
  return list.length;
}

const put = (list: List, item: string, side: Side): void =>
  side === 'left' ? list.unshift(item) : list.push(item);

function take(database: Database, key: string, list: List, side: Side): string {
  const item = side === 'left' ? list.shift() : list.pop();
  database.shrunk(key, list, side === 'left' ? 'lpop' : 'rpop', 'l');
  return item;
}

function takeMany(database: Database, key: string, list: List, side: Side, max: number): string[] {
  const count = Math.min(max, list.length);
  const items = Array.from({ length: count }, () => (side === 'left' ? list.shift() : list.pop()));
  if (count > 0) database.shrunk(key, list, side === 'left' ? 'lpop' : 'rpop', 'l');
  return items;
}

function pop({ database }: Session, words: string[], side: Side): Reply {
  const key = words[1];
  if (words.length > 3) throw wrongArity(words[0].toLowerCase());
  const count = words.length === 3 ? naturalNumber(words[2], NOT_POSITIVE) : undefined;
  const list = database.list(key);
  if (list === undefined) return count === undefined ? null : NULL_ARRAY;
  return count === undefined
    ? take(database, key, list, side)
    : takeMany(database, key, list, side, count);
}

function blockingPop(session: Session, words: string[], side: Side): Reply {
  const { database } = session;
  const keys = words.slice(1, -1);
  const time = timeout(words[words.length - 1]);
  return database.engine.blocking.wait(session, keys, time, NULL_ARRAY, () => {
    for (const key of keys) {
      const list = database.list(key);
      if (list !== undefined) return [key, take(database, key, list, side)];
    }
    return undefined;
  });
}

function sideOf(text: string): Side {
  const side = text.toLowerCase();
  return side === 'left' || side === 'right' ? side : syntaxError();
}

/** Moves an item from one end to another, or says that there is none. */
function move(
  database: Database,
  from: string,
  to: string,
  take_: Side,
  put_: Side,
): string | undefined {
  const source = database.list(from);
  if (source === undefined) return undefined;
  const found = database.list(to);
  if (from === to) {
    const item = take_ === 'left' ? source.shift() : source.pop();
    put(source, item, put_);
    database.changed(from, take_ === 'left' ? 'lpop' : 'rpop', 'l');
    database.changed(to, put_ === 'left' ? 'lpush' : 'rpush', 'l');
    return item;
  }
  const item = take_ === 'left' ? source.shift() : source.pop();
  put(database.obtain(to, found, create), item, put_);
  database.changed(to, put_ === 'left' ? 'lpush' : 'rpush', 'l');
  database.shrunk(from, source, take_ === 'left' ? 'lpop' : 'rpop', 'l');
  return item;
}

function blockingMove(session: Session, words: string[], sides: [Side, Side]): Reply {
  const { database } = session;
  const [, from, to] = words;
  const time = timeout(words[words.length - 1]);
  return database.engine.blocking.wait(session, [from], time, NULL_ARRAY, () =>
    move(database, from, to, ...sides),
  );
}

/** LMPOP: keys by their number, the end, and how many. */
function popFromFirst(session: Session, words: string[], at: number): () => Reply | undefined {
  const { database } = session;
  const options = new Options(words, at);
  const count = integer(options.value(), 'ERR numkeys should be greater than 0');
  if (count <= 0) fail('ERR numkeys should be greater than 0');
  const keys = Array.from({ length: count }, () => options.value());
  const side = sideOf(options.value());
  let most = 1;
  if (options.left > 0) {
    if (!options.is('count')) syntaxError();
    most = integer(options.value(), 'ERR count should be greater than 0');
    if (most <= 0) fail('ERR count should be greater than 0');
    if (options.left > 0) syntaxError();
  }
  return () => {
    for (const key of keys) {
      const list = database.list(key);
      if (list !== undefined) return [key, takeMany(database, key, list, side, most)];
    }
    return undefined;
  };
}

function blockingPopFromFirst(session: Session, words: string[]): Reply {
  const time = timeout(words[1]);
  const attempt = popFromFirst(session, words, 2);
  const keys = words.slice(3, 3 + Number(words[2]));
  return session.database.engine.blocking.wait(session, keys, time, NULL_ARRAY, attempt);
}

/** The position that an index means: from the end when negative. */
const positionOf = (index: number, length: number): number => (index < 0 ? index + length : index);

function range({ database }: Session, [, key, from, to]: string[]): Reply {
  const [first, last] = [integer(from), integer(to)];
  const list = database.list(key);
  if (list === undefined) return [];
  const start = Math.max(positionOf(first, list.length), 0);
  return list.slice(start, Math.min(positionOf(last, list.length), list.length - 1) + 1);
}

function setAt({ database }: Session, [, key, at, item]: string[]): Reply {
  const list = database.list(key) ?? fail('ERR no such key');
  const index = positionOf(integer(at), list.length);
  if (index < 0 || index >= list.length) return fail('ERR index out of range');
  list.set(index, item);
  database.changed(key, 'lset', 'l');
  return OK;
}

function insert({ database }: Session, [, key, where, pivot, item]: string[]): Reply {
  const after = /^after$/i.test(where);
  if (!after && !/^before$/i.test(where)) return syntaxError();
  const list = database.list(key);
  if (list === undefined) return 0;
  const items = list.items();
  const at = items.indexOf(pivot);
  if (at < 0) return -1;
  items.splice(after ? at + 1 : at, 0, item);
  list.replace(items);
  database.changed(key, 'linsert', 'l');
  return list.length;
}

function remove({ database }: Session, [, key, times, item]: string[]): Reply {
  const count = integer(times);
  const list = database.list(key);
  if (list === undefined) return 0;
  let left = count === 0 ? Infinity : Math.abs(count);
  const keep = (other: string): boolean => other !== item || left-- <= 0;
  const items = list.items();
  const kept = count < 0 ? items.reverse().filter(keep).reverse() : items.filter(keep);
  const removed = items.length - kept.length;
  list.replace(kept);
  if (removed > 0) database.shrunk(key, list, 'lrem', 'l');
  return removed;
}

function trim({ database }: Session, [, key, from, to]: string[]): Reply {
  const [first, last] = [integer(from), integer(to)];
  const list = database.list(key);
  if (list === undefined) return OK;
  const start = Math.max(positionOf(first, list.length), 0);
  list.replace(list.slice(start, Math.min(positionOf(last, list.length), list.length - 1) + 1));
  database.shrunk(key, list, 'ltrim', 'l');
  return OK;
}

function position({ database }: Session, words: string[]): Reply {
  const [, key, item] = words;
  const options = new Options(words, 3);
  let rank = 1;
  let count: number | undefined;
  let most = 0;
  while (options.left > 0) {
    const name = options.name();
    if (options.left === 0) return syntaxError();
    if (name === 'rank') {
      rank = integer(options.value());
      if (rank === 0) {
        fail(
          "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
        );
      }
    } else if (name === 'count') {
      count = naturalNumber(options.value(), "ERR COUNT can't be negative");
    } else if (name === 'maxlen') {
      most = naturalNumber(options.value(), "ERR MAXLEN can't be negative");
    } else return syntaxError();
  }
  const length = database.list(key)?.length ?? 0;
  const list = database.list(key);
  const found: number[] = [];
  const wanted = count === undefined ? 1 : count === 0 ? Infinity : count;
  let skip = Math.abs(rank) - 1;
  const compared = most === 0 ? length : Math.min(most, length);
  for (let i = 0; i < compared && found.length < wanted; i++) {
    const at = rank > 0 ? i : length - 1 - i;
    if (list!.at(at) === item && skip-- <= 0) found.push(at);
  }
  return count === undefined ? (found[0] ?? null) : found;
}

export const lists: CommandTable = {
  lpush: write(-3, (session, words) => push(session, words, 'left', false)),
  rpush: write(-3, (session, words) => push(session, words, 'right', false)),
  lpushx: write(-3, (session, words) => push(session, words, 'left', true)),
  rpushx: write(-3, (session, words) => push(session, words, 'right', true)),
  lpop: write(-2, (session, words) => pop(session, words, 'left')),
  rpop: write(-2, (session, words) => pop(session, words, 'right')),
  blpop: blocking(-3, (session, words) => blockingPop(session, words, 'left'), [1, -2, 1]),
  brpop: blocking(-3, (session, words) => blockingPop(session, words, 'right'), [1, -2, 1]),
  rpoplpush: write(
    3,
    ({ database }, [, from, to]) => move(database, from, to, 'right', 'left') ?? null,
    [1, 2, 1],
  ),
  lmove: write(
    5,
    ({ database }, [, from, to, a, b]) => move(database, from, to, sideOf(a), sideOf(b)) ?? null,
    [1, 2, 1],
  ),
  brpoplpush: blocking(
    4,
    (session, words) => blockingMove(session, words, ['right', 'left']),
    [1, 2, 1],
  ),
  blmove: blocking(
    6,
    (session, words) => blockingMove(session, words, [sideOf(words[3]), sideOf(words[4])]),
    [1, 2, 1],
  ),
  lmpop: write(-4, (session, words) => popFromFirst(session, words, 1)() ?? NULL_ARRAY, [0, 0, 0]),
  blmpop: blocking(-5, blockingPopFromFirst, [0, 0, 0]),
  llen: read(2, ({ database }, [, key]) => database.list(key)?.length ?? 0),
  lindex: read(3, ({ database }, [, key, at]) => {
    const list = database.list(key);
    if (list === undefined) return null;
    const index = positionOf(integer(at), list.length);
    return index >= 0 && index < list.length ? list.at(index) : null;
  }),
  lrange: read(4, range),
  lset: write(4, setAt),
  linsert: write(5, insert),
  lrem: write(4, remove),
  ltrim: write(4, trim),
  lpos: read(-3, position),
};
