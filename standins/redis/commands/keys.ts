/**
 * Commands on keys, whatever they hold.
 */

import { glob } from '../glob.js';
import { integer } from '../numbers.js';
import { ErrorReply, fail, OK, type Reply, Status, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { copyOf, encodingOf, sizeOf, typeName, type Value } from '../values/index.js';
import { admin, ALL_KEYS, type CommandTable, NO_KEYS, read, write } from './command.js';
import { Options } from './options.js';

const noSuchKey = (): never => fail('ERR no such key');

function countOf(keys: string[], does: (key: string) => boolean): number {
  return keys.reduce((count, key) => count + +does(key), 0);
}

function rename({ database }: Session, [, from, to]: string[], onlyNew: boolean): Reply {
  const value = database.get(from) ?? noSuchKey();
  if (onlyNew && database.has(to)) return 0;
  if (from !== to) {
    const expiresAt = database.expiryOf(from);
    database.remove(from);
    database.set(to, value);
    database.setExpiry(to, expiresAt);
    database.changed(from, 'rename_from', 'g');
    database.changed(to, 'rename_to', 'g');
  }
  return onlyNew ? 1 : OK;
}

/** The database with a number. */
export function databaseAt(session: Session, text: string): Session['database'] {
  const { databases } = session.database.engine;
  const index = integer(text);
  return databases[index] ?? fail('ERR DB index is out of range');
}

function move(session: Session, [, key, index]: string[]): Reply {
  const { database } = session;
  const target = databaseAt(session, index);
  if (target === database) fail('ERR source and destination objects are the same');
  const value = database.get(key);
  if (value === undefined || target.has(key)) return 0;
  const expiresAt = database.expiryOf(key);
  target.set(key, value);
  target.setExpiry(key, expiresAt);
  database.remove(key);
  database.changed(key, 'move_from', 'g');
  target.changed(key, 'move_to', 'g');
  return 1;
}

function copy(session: Session, words: string[]): Reply {
  const [, from, to] = words;
  const options = new Options(words, 3);
  let target = session.database;
  let replace = false;
  while (options.left > 0) {
    const name = options.name();
    if (name === 'replace') replace = true;
    else if (name === 'db' && options.left > 0) target = databaseAt(session, options.value());
    else return syntaxError();
  }
  if (target === session.database && from === to) {
    return fail('ERR source and destination objects are the same');
  }
  const value = session.database.get(from);
  if (value === undefined || (!replace && target.has(to))) return 0;
  target.set(to, copyOf(value));
  target.setExpiry(to, session.database.expiryOf(from));
  target.changed(to, 'copy_to', 'g');
  return 1;
}

/** Bytes of a value, roughly as Redis counts them. */
function bytesOf(key: string, value: Value): number {
  const perItem = 16;
  return 50 + key.length + (typeof value === 'string' ? value.length : sizeOf(value) * perItem);
}

const held = ({ database }: Session, key: string): Value | undefined => database.get(key);

export const keys: CommandTable = {
  del: write(
    -2,
    (session, [, ...names]) => countOf(names, (key) => session.database.delete(key)),
    ALL_KEYS,
  ),
  unlink: write(
    -2,
    (session, [, ...names]) => countOf(names, (key) => session.database.delete(key)),
    ALL_KEYS,
  ),
  exists: read(
    -2,
    (session, [, ...names]) => countOf(names, (key) => session.database.has(key)),
    ALL_KEYS,
  ),
  touch: read(
    -2,
    (session, [, ...names]) => countOf(names, (key) => session.database.has(key)),
    ALL_KEYS,
  ),
  type: read(2, ({ database }, [, key]) => {
    const value = database.get(key);
    return new Status(value === undefined ? 'none' : typeName(value));
  }),
  keys: read(2, ({ database }, [, pattern]) => database.keys().filter(glob(pattern)), NO_KEYS),
  randomkey: read(
    1,
    ({ database }) => {
      const all = database.keys();
      return all[Math.floor(Math.random() * all.length)] ?? null;
    },
    NO_KEYS,
  ),
  rename: write(3, (session, words) => rename(session, words, false), [1, 2, 1]),
  renamenx: write(3, (session, words) => rename(session, words, true), [1, 2, 1]),
  move: write(3, move),
  copy: write(-3, copy, [1, 2, 1]),
  dbsize: read(1, ({ database }) => database.size, NO_KEYS),
  flushdb: write(
    -1,
    ({ database }, words) => {
      checkFlush(words);
      database.clear();
      return OK;
    },
    NO_KEYS,
  ),
  flushall: write(
    -1,
    ({ database }, words) => {
      checkFlush(words);
      for (const one of database.engine.databases) one.clear();
      return OK;
    },
    NO_KEYS,
  ),
  swapdb: write(
    3,
    (session, [, a, b]) => {
      const { databases } = session.database.engine;
      const one = databases[integer(a, 'ERR invalid first DB index')];
      const other = databases[integer(b, 'ERR invalid second DB index')];
      if (one === undefined || other === undefined) return fail('ERR DB index is out of range');
      if (one !== other) one.swap(other);
      return OK;
    },
    NO_KEYS,
  ),
  'object|encoding': read(
    3,
    (session, [, , key]) => {
      const value = held(session, key);
      return value === undefined ? null : encodingOf(value);
    },
    [2, 2, 1],
  ),
  'object|refcount': read(
    3,
    (session, [, , key]) => (held(session, key) === undefined ? null : 1),
    [2, 2, 1],
  ),
  'object|idletime': read(
    3,
    (session, [, , key]) => (held(session, key) === undefined ? null : 0),
    [2, 2, 1],
  ),
  'object|freq': read(
    3,
    (session, [, , key]) => {
      if (held(session, key) === undefined) return null;
      throw new ErrorReply(
        'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
      );
    },
    [2, 2, 1],
  ),
  'memory|usage': read(
    -3,
    (session, [, , key]) => {
      const value = held(session, key);
      return value === undefined ? null : bytesOf(key, value);
    },
    [2, 2, 1],
  ),
  'memory|purge': admin(2, () => OK),
  wait: admin(3, () => 0),
};

function checkFlush(words: string[]): void {
  const options = new Options(words, 1);
  if (options.left > 0 && !options.is('async') && !options.is('sync')) syntaxError();
  if (options.left > 0) syntaxError();
}
