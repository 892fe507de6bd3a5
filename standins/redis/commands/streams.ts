/**
 * Commands on streams, except those of consumer groups.
 */

import type { Database } from '../database.js';
import { integer } from '../numbers.js';
import { ByProtocol, fail, MapReply, NULL_ARRAY, OK, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import {
  compareIds,
  FIRST_ID,
  following,
  formatId,
  LAST_ID,
  Stream,
  type StreamId,
} from '../values/stream.js';
import { type CommandTable, read, write, wrongArity } from './command.js';
import { Options } from './options.js';
import {
  endOf,
  entryReply,
  idOf,
  isNew,
  startOf,
  type Trim,
  trimOptions,
} from './stream-arguments.js';

const create = (): Stream => new Stream();

/** The id of a new entry: given, with a free sequence number, or made from the time. */
function newId(stream: Stream, text: string, now: number): StreamId {
  const { lastId } = stream;
  if (compareIds(lastId, LAST_ID) === 0) {
    return fail('ERR The stream has exhausted the last possible ID, unable to add more items');
  }
  if (text === '*') {
    const id = { ms: BigInt(Math.floor(now)), seq: 0n };
    return isNew(stream, id) || compareIds(id, FIRST_ID) === 0 ? id : following(lastId)!;
  }
  const smaller =
    'ERR The ID specified in XADD is equal or smaller than the target stream top item';
  if (text.endsWith('-*')) {
    const { ms } = idOf(text.slice(0, -2));
    if (ms < lastId.ms) return fail(smaller);
    const seq = ms === lastId.ms ? lastId.seq + 1n : 0n;
    return { ms, seq: ms === 0n && seq === 0n ? 1n : seq };
  }
  const id = idOf(text);
  if (compareIds(id, FIRST_ID) === 0) {
    return fail('ERR The ID specified in XADD must be greater than 0-0');
  }
  return isNew(stream, id) ? id : fail(smaller);
}

function add({ database }: Session, words: string[]): Reply {
  const key = words[1];
  const options = new Options(words, 2);
  let trim: Trim | undefined;
  let onlyIfThere = false;
  for (;;) {
    if (options.is('nomkstream')) onlyIfThere = true;
    else if (options.is('maxlen')) trim = trimOptions('maxlen', options);
    else if (options.is('minid')) trim = trimOptions('minid', options);
    else break;
  }
  const id = options.value();
  const fields = options.rest();
  if (fields.length === 0 || fields.length % 2 !== 0) throw wrongArity('xadd');
  const found = database.stream(key);
  if (found === undefined && onlyIfThere) return null;
  const stream = found ?? create();
  const entry = { id: newId(stream, id, database.engine.now), fields };
  if (found === undefined) database.set(key, stream);
  stream.append(entry);
  database.changed(key, 'xadd', 't');
  if (trim !== undefined && trim(stream) > 0) database.changed(key, 'xtrim', 't');
  return formatId(entry.id);
}

function range({ database }: Session, words: string[], reverse: boolean): Reply {
  const [, key, first, second] = words;
  const [start, end] = reverse ? [startOf(second), endOf(first)] : [startOf(first), endOf(second)];
  const options = new Options(words, 4);
  let count = Infinity;
  while (options.left > 0) {
    if (!options.is('count')) return syntaxError();
    count = integer(options.value());
  }
  const stream = database.stream(key);
  if (stream === undefined) return [];
  if (count <= 0) return NULL_ARRAY;
  if (!reverse) return stream.range(start, end, count).map(entryReply);
  return stream.range(start, end).reverse().slice(0, count).map(entryReply);
}

export interface ReadOptions {
  readonly count: number;
  /** In milliseconds, or undefined when it does not wait. */
  readonly block: number | undefined;
  readonly noAck: boolean;
  readonly keys: readonly string[];
  readonly ids: readonly string[];
}

/** The options of XREAD and XREADGROUP. */
export function readOptions(words: string[], at: number, command: string): ReadOptions {
  const options = new Options(words, at);
  let count = Infinity;
  let block: number | undefined;
  let noAck = false;
  for (;;) {
    if (options.is('count')) {
      const given = integer(options.value());
      count = given > 0 ? given : Infinity;
    } else if (options.is('block')) {
      block = integer(options.value(), 'ERR timeout is not an integer or out of range');
      if (block < 0) fail('ERR timeout is negative');
    } else if (command === 'xreadgroup' && options.is('noack')) noAck = true;
    else if (options.is('streams')) break;
    else return syntaxError();
  }
  const rest = options.rest();
  if (rest.length === 0 || rest.length % 2 !== 0) {
    return fail(
      `ERR Unbalanced '${command}' list of streams: for each stream key an ID or '${command === 'xread' ? '$' : '>'}' must be specified.`,
    );
  }
  const half = rest.length / 2;
  return { count, block, noAck, keys: rest.slice(0, half), ids: rest.slice(half) };
}

/** Names and entries of streams; undefined when there are none. */
export function readReply(found: [string, Reply][]): Reply | undefined {
  return found.length === 0 ? undefined : new ByProtocol(found, new MapReply(found.flat()));
}

function readStreams(session: Session, words: string[]): Reply {
  const { database } = session;
  const { keys, ids, count, block } = readOptions(words, 1, 'xread');
  const after = ids.map((text, i) => {
    if (text === '$') return database.stream(keys[i])?.lastId ?? FIRST_ID;
    if (text === '>') {
      return fail(
        'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
      );
    }
    return idOf(text);
  });
  const attempt = (): Reply | undefined =>
    readReply(
      keys.flatMap((key, i) => {
        const start = following(after[i]);
        const stream = database.stream(key);
        if (stream === undefined || start === undefined) return [];
        const entries = stream.range(start, LAST_ID, count);
        return entries.length === 0 ? [] : [[key, entries.map(entryReply)] as [string, Reply]];
      }),
    );
  if (block === undefined) return attempt() ?? NULL_ARRAY;
  return database.engine.blocking.wait(session, keys, block, NULL_ARRAY, attempt);
}

function trim({ database }: Session, words: string[]): Reply {
  const options = new Options(words, 2);
  const name = options.name();
  if (name !== 'maxlen' && name !== 'minid') return syntaxError();
  const trimming = trimOptions(name, options);
  if (options.left > 0) return syntaxError();
  const stream = database.stream(words[1]);
  const count = stream === undefined ? 0 : trimming(stream);
  if (count > 0) database.changed(words[1], 'xtrim', 't');
  return count;
}

function setId({ database }: Session, words: string[]): Reply {
  const [, key, text] = words;
  const id = idOf(text);
  const options = new Options(words, 3);
  let added: number | undefined;
  let maxDeleted: StreamId | undefined;
  while (options.left > 0) {
    if (options.is('entriesadded')) added = integer(options.value());
    else if (options.is('maxdeletedid')) maxDeleted = idOf(options.value());
    else return syntaxError();
  }
  const stream = streamOf(database, key);
  const last = stream.entries[stream.entries.length - 1];
  if (last !== undefined && compareIds(id, last.id) < 0) {
    return fail('ERR The ID specified in XSETID is smaller than the target stream top item');
  }
  stream.lastId = id;
  stream.entriesAdded = added ?? stream.entriesAdded;
  stream.maxDeletedId = maxDeleted ?? stream.maxDeletedId;
  database.changed(key, 'xsetid', 't');
  return OK;
}

/** @throws {ErrorReply} when there is none */
export function streamOf(database: Database, key: string): Stream {
  return database.stream(key) ?? fail('ERR no such key');
}

export const streams: CommandTable = {
  xadd: write(-5, add),
  xlen: read(2, ({ database }, [, key]) => database.stream(key)?.entries.length ?? 0),
  xrange: read(-4, (session, words) => range(session, words, false)),
  xrevrange: read(-4, (session, words) => range(session, words, true)),
  xread: read(-4, readStreams, [0, 0, 0]),
  xdel: write(-3, ({ database }, [, key, ...texts]) => {
    const ids = texts.map((text) => idOf(text));
    const stream = database.stream(key);
    if (stream === undefined) return 0;
    const deleted = ids.filter((id) => stream.delete(id)).length;
    if (deleted > 0) database.changed(key, 'xdel', 't');
    return deleted;
  }),
  xtrim: write(-4, trim),
  xsetid: write(-3, setId),
};
