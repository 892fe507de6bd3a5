/**
 * Commands on strings.
 */

import { addDecimals, bigInteger, double, fits, integer } from '../numbers.js';
import { ErrorReply, fail, OK, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { ALL_KEYS, type CommandTable, read, write, wrongArity } from './command.js';
import { positiveDeadline, TIME_UNITS } from './deadline.js';
import { Options } from './options.js';

const BYTES_MAX = 512 * 1024 * 1024;

function set(session: Session, words: string[]): Reply {
  const { database } = session;
  const [, key, value] = words;
  const options = new Options(words, 3);
  let condition: 'nx' | 'xx' | undefined;
  let get = false;
  let keep = false;
  let expiresAt: number | undefined;
  while (options.left > 0) {
    const name = options.name();
    const unit = TIME_UNITS[name];
    if ((name === 'nx' || name === 'xx') && (condition ?? name) === name) condition = name;
    else if (name === 'get') get = true;
    else if (name === 'keepttl' && expiresAt === undefined) keep = true;
    else if (unit !== undefined && expiresAt === undefined && !keep && options.left > 0) {
      expiresAt = positiveDeadline(session, options.value(), unit, 'set');
    } else syntaxError();
  }
  const old = get ? (database.string(key) ?? null) : null;
  if (condition !== undefined && database.has(key) !== (condition === 'xx')) return old;
  database.set(key, value, keep);
  if (expiresAt !== undefined) database.setExpiry(key, expiresAt);
  database.changed(key, 'set', '$');
  if (expiresAt !== undefined) session.database.engine.notify(database, key, 'expire', 'g');
  return get ? old : OK;
}

const setWithTime =
  (option: 'ex' | 'px', name: string) =>
  (session: Session, [, key, time, value]: string[]): Reply => {
    const { database } = session;
    const expiresAt = positiveDeadline(session, time, TIME_UNITS[option], name);
    database.set(key, value);
    database.setExpiry(key, expiresAt);
    database.changed(key, 'set', '$');
    database.engine.notify(database, key, 'expire', 'g');
    return OK;
  };

function getEx(session: Session, words: string[]): Reply {
  const { database } = session;
  const key = words[1];
  const options = new Options(words, 2);
  let expiresAt: number | undefined;
  let persist = false;
  if (options.left > 0) {
    const name = options.name();
    if (name === 'persist') persist = true;
    else {
      const unit = TIME_UNITS[name] ?? syntaxError();
      expiresAt = positiveDeadline(session, options.value(), unit, 'getex');
    }
    if (options.left > 0) syntaxError();
  }
  const value = database.string(key);
  if (value === undefined) return null;
  if (expiresAt !== undefined && expiresAt <= database.engine.now) database.delete(key);
  else if (expiresAt !== undefined) {
    database.setExpiry(key, expiresAt);
    database.changed(key, 'expire', 'g');
  } else if (persist && database.expiryOf(key) !== undefined) {
    database.setExpiry(key, undefined);
    database.changed(key, 'persist', 'g');
  }
  return value;
}

function add(session: Session, key: string, by: bigint): Reply {
  const { database } = session;
  const sum = bigInteger(database.string(key) ?? '0') + by;
  if (!fits(sum)) return fail('ERR increment or decrement would overflow');
  database.set(key, String(sum), true);
  database.changed(key, 'incrby', '$');
  return sum;
}

function setMany(session: Session, words: string[], onlyNew: boolean): Reply {
  const { database } = session;
  if (words.length % 2 === 0) throw wrongArity(words[0].toLowerCase());
  const pairs = Array.from({ length: (words.length - 1) / 2 }, (_, i) => words.slice(1 + 2 * i));
  if (onlyNew && pairs.some(([key]) => database.has(key))) return 0;
  for (const [key, value] of pairs) {
    database.set(key, value);
    database.changed(key, 'set', '$');
  }
  return onlyNew ? 1 : OK;
}

function getRange(session: Session, [, key, from, to]: string[]): Reply {
  const [first, last] = [integer(from), integer(to)];
  const value = session.database.string(key) ?? '';
  if (first < 0 && last < 0 && first > last) return '';
  const start = Math.max(first < 0 ? first + value.length : first, 0);
  const end = Math.max(last < 0 ? last + value.length : last, 0);
  return value.slice(start, end + 1);
}

function setRange({ database }: Session, [, key, at, part]: string[]): Reply {
  const offset = integer(at);
  if (offset < 0) return fail('ERR offset is out of range');
  const old = database.string(key) ?? '';
  if (part === '') return old.length;
  if (offset + part.length > BYTES_MAX) {
    return fail('ERR string exceeds maximum allowed size (proto-max-bulk-len)');
  }
  const value = old.slice(0, offset).padEnd(offset, '\0') + part + old.slice(offset + part.length);
  database.set(key, value, true);
  database.changed(key, 'setrange', '$');
  return value.length;
}

function longestCommon({ database }: Session, words: string[]): Reply {
  const [a, b] = [words[1], words[2]].map((key) => {
    const value = database.get(key) ?? '';
    return typeof value === 'string'
      ? value
      : fail('ERR The specified keys must contain string values');
  });
  const options = new Options(words, 3);
  const onlyLength = options.is('len');
  if (options.left > 0) syntaxError();
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      lengths[i * width + j] =
        a[i - 1] === b[j - 1]
          ? lengths[(i - 1) * width + j - 1] + 1
          : Math.max(lengths[(i - 1) * width + j], lengths[i * width + j - 1]);
    }
  }
  if (onlyLength) return lengths[lengths.length - 1];
  let common = '';
  for (let i = a.length, j = b.length; i > 0 && j > 0;) {
    if (a[i - 1] === b[j - 1]) {
      common = a[--i] + common;
      j--;
    } else if (lengths[(i - 1) * width + j] > lengths[i * width + j - 1]) i--;
    else j--;
  }
  return common;
}

export const strings: CommandTable = {
  get: read(2, ({ database }, [, key]) => database.string(key) ?? null),
  set: write(-3, set),
  setnx: write(3, ({ database }, [, key, value]) => {
    if (database.has(key)) return 0;
    database.set(key, value);
    database.changed(key, 'set', '$');
    return 1;
  }),
  setex: write(4, setWithTime('ex', 'setex')),
  psetex: write(4, setWithTime('px', 'psetex')),
  getset: write(3, ({ database }, [, key, value]) => {
    const old = database.string(key) ?? null;
    database.set(key, value);
    database.changed(key, 'set', '$');
    return old;
  }),
  getdel: write(2, ({ database }, [, key]) => {
    const value = database.string(key) ?? null;
    database.delete(key);
    return value;
  }),
  getex: write(-2, getEx),
  mget: read(
    -2,
    ({ database }, [, ...keys]) =>
      keys.map((key) => {
        const value = database.get(key);
        return typeof value === 'string' ? value : null;
      }),
    ALL_KEYS,
  ),
  mset: write(-3, (session, words) => setMany(session, words, false), [1, -1, 2]),
  msetnx: write(-3, (session, words) => setMany(session, words, true), [1, -1, 2]),
  append: write(3, ({ database }, [, key, part]) => {
    const value = (database.string(key) ?? '') + part;
    database.set(key, value, true);
    database.changed(key, 'append', '$');
    return value.length;
  }),
  strlen: read(2, ({ database }, [, key]) => database.string(key)?.length ?? 0),
  getrange: read(4, getRange),
  substr: read(4, getRange),
  setrange: write(4, setRange),
  incr: write(2, (session, [, key]) => add(session, key, 1n)),
  decr: write(2, (session, [, key]) => add(session, key, -1n)),
  incrby: write(3, (session, [, key, by]) => add(session, key, bigInteger(by))),
  decrby: write(3, (session, [, key, text]) => {
    const by = -bigInteger(text);
    if (!fits(by)) throw new ErrorReply('ERR decrement would overflow');
    return add(session, key, by);
  }),
  incrbyfloat: write(3, ({ database }, [, key, by]) => {
    const old = database.string(key) ?? '0';
    double(old);
    const sum = addDecimals(old, by);
    database.set(key, sum, true);
    database.changed(key, 'incrbyfloat', '$');
    return sum;
  }),
  lcs: read(-3, longestCommon, [1, 2, 1]),
};
