/**
 * Commands of consumer groups.
 */

import type { Database } from '../database.js';
import { integer } from '../numbers.js';
import { ErrorReply, fail, NULL_ARRAY, OK, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import {
  compareIds,
  type Consumer,
  ConsumerGroup,
  FIRST_ID,
  following,
  formatId,
  LAST_ID,
  type Pending,
  Stream,
  type StreamId,
} from '../values/stream.js';
import { type CommandTable, read, write } from './command.js';
import { Options } from './options.js';
import { endOf, entryReply, idOf, INVALID_ID, startOf } from './stream-arguments.js';
import { groupsInfo, consumersInfo, streamInfo } from './stream-info.js';
import { readOptions, readReply, streamOf } from './streams.js';

const noGroup = (key: string, name: string): never =>
  fail(`NOGROUP No such key '${key}' or consumer group '${name}'`);

function groupOf(database: Database, key: string, name: string): [Stream, ConsumerGroup] {
  const stream = database.stream(key);
  const group = stream?.groups.get(name);
  return stream === undefined || group === undefined ? noGroup(key, name) : [stream, group];
}

function consumerOf(group: ConsumerGroup, name: string, now: number): Consumer {
  const found = group.consumers.get(name);
  if (found !== undefined) return found;
  const consumer = { name, seenAt: now, activeAt: -1 };
  group.consumers.set(name, consumer);
  return consumer;
}

function createGroup({ database }: Session, words: string[]): Reply {
  const [, , key, name, text] = words;
  const options = new Options(words, 5);
  let makeStream = false;
  let entriesRead: number | undefined;
  while (options.left > 0) {
    if (options.is('mkstream')) makeStream = true;
    else if (options.is('entriesread')) entriesRead = integer(options.value());
    else return syntaxError();
  }
  const found = database.stream(key);
  if (found === undefined && !makeStream) return noKeyForGroup();
  const stream = found ?? new Stream();
  const id = text === '$' ? stream.lastId : idOf(text);
  if (stream.groups.has(name)) return fail('BUSYGROUP Consumer Group name already exists');
  if (found === undefined) database.set(key, stream);
  stream.groups.set(name, new ConsumerGroup(id, entriesRead));
  database.changed(key, 'xgroup-create', 't');
  return OK;
}

const noKeyForGroup = (): never =>
  fail(
    'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
  );

function groupForChange(database: Database, key: string, name: string): [Stream, ConsumerGroup] {
  const stream = database.stream(key) ?? noKeyForGroup();
  const group = stream.groups.get(name);
  return group === undefined
    ? fail(`NOGROUP No such consumer group '${name}' for key name '${key}'`)
    : [stream, group];
}

function setGroupId({ database }: Session, words: string[]): Reply {
  const [, , key, name, text] = words;
  const options = new Options(words, 5);
  let entriesRead: number | undefined;
  if (options.is('entriesread')) entriesRead = integer(options.value());
  if (options.left > 0) return syntaxError();
  const [stream, group] = groupForChange(database, key, name);
  group.lastDelivered = text === '$' ? stream.lastId : idOf(text);
  group.entriesRead = entriesRead;
  database.changed(key, 'xgroup-setid', 't');
  return OK;
}

function deleteConsumer({ database }: Session, [, , key, name, consumerName]: string[]): Reply {
  const [, group] = groupForChange(database, key, name);
  const consumer = group.consumers.get(consumerName);
  if (consumer === undefined) return 0;
  const pending = group.ordered(consumer);
  for (const { id } of pending) group.pending.delete(formatId(id));
  group.consumers.delete(consumerName);
  database.changed(key, 'xgroup-delconsumer', 't');
  return pending.length;
}

/** Gives new entries to a consumer. */
function deliver(
  stream: Stream,
  group: ConsumerGroup,
  consumer: Consumer,
  count: number,
  noAck: boolean,
  now: number,
): Reply[] {
  const start = following(group.lastDelivered);
  const entries = start === undefined ? [] : stream.range(start, LAST_ID, count);
  for (const { id } of entries) {
    group.lastDelivered = id;
    if (group.entriesRead !== undefined) group.entriesRead++;
    if (noAck) continue;
    group.pending.set(formatId(id), { id, consumer, deliveredAt: now, deliveries: 1 });
  }
  if (entries.length > 0) {
    consumer.activeAt = now;
    if (stream.entriesAdded > 0 && compareIds(group.lastDelivered, stream.lastId) === 0) {
      group.entriesRead = stream.entriesAdded;
    }
  }
  return entries.map(entryReply);
}

/** What a consumer has pending, from an id on; deleted entries have no fields. */
function history(
  stream: Stream,
  group: ConsumerGroup,
  consumer: Consumer,
  after: StreamId,
  count: number,
  now: number,
): Reply[] {
  const pending = group.ordered(consumer).filter(({ id }) => compareIds(id, after) > 0);
  return pending.slice(0, count).map((one) => {
    const entry = stream.get(one.id);
    if (entry === undefined) return [formatId(one.id), NULL_ARRAY];
    one.deliveredAt = now;
    one.deliveries++;
    return entryReply(entry);
  });
}

function readGroup(session: Session, words: string[]): Reply {
  const { database } = session;
  if (words[1].toLowerCase() !== 'group') return syntaxError();
  const [, , groupName, consumerName] = words;
  const { keys, ids, count, block, noAck } = readOptions(words, 4, 'xreadgroup');
  const after = ids.map((text) => {
    if (text === '$') {
      return fail(
        'ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.',
      );
    }
    return text === '>' ? undefined : idOf(text);
  });
  const groupFor = (key: string): [Stream, ConsumerGroup] => {
    const stream = database.stream(key);
    const group = stream?.groups.get(groupName);
    if (stream !== undefined && group !== undefined) return [stream, group];
    throw new ErrorReply(
      `NOGROUP No such key '${key}' or consumer group '${groupName}' in XREADGROUP with GROUP option`,
    );
  };
  const attempt = (): Reply | undefined => {
    const { now } = database.engine;
    return readReply(
      keys.flatMap((key, i) => {
        const [stream, group] = groupFor(key);
        const consumer = consumerOf(group, consumerName, now);
        consumer.seenAt = now;
        const id = after[i];
        if (id !== undefined) {
          return [[key, history(stream, group, consumer, id, count, now)] as [string, Reply]];
        }
        const entries = deliver(stream, group, consumer, count, noAck, now);
        if (entries.length > 0) database.touched(key);
        return entries.length === 0 ? [] : [[key, entries] as [string, Reply]];
      }),
    );
  };
  if (block === undefined) return attempt() ?? NULL_ARRAY;
  return database.engine.blocking.wait(session, keys, block, NULL_ARRAY, attempt);
}

function acknowledge({ database }: Session, [, key, name, ...texts]: string[]): Reply {
  const group = database.stream(key)?.groups.get(name);
  const ids = texts.map((text) => idOf(text));
  if (group === undefined) return 0;
  const count = ids.filter((id) => group.pending.delete(formatId(id))).length;
  if (count > 0) database.touched(key);
  return count;
}

function pendingEntries({ database }: Session, words: string[]): Reply {
  const [, key, name] = words;
  const [, group] = groupOf(database, key, name);
  if (words.length === 3) {
    const all = group.ordered();
    if (all.length === 0) return [0, null, null, NULL_ARRAY];
    const counts = [...group.consumers.values()]
      .map((consumer) => [consumer.name, String(group.ordered(consumer).length)])
      .filter(([, count]) => count !== '0')
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return [all.length, formatId(all[0].id), formatId(all[all.length - 1].id), counts];
  }
  const options = new Options(words, 3);
  const idle = options.is('idle') ? integer(options.value()) : 0;
  if (options.left < 3 || options.left > 4) return syntaxError();
  const [start, end] = [startOf(options.value()), endOf(options.value())];
  const count = Math.max(0, integer(options.value()));
  const consumer = options.left > 0 ? group.consumers.get(options.value()) : null;
  if (consumer === undefined) return [];
  const { now } = database.engine;
  return group
    .ordered(consumer ?? undefined)
    .filter(({ id }) => compareIds(id, start) >= 0 && compareIds(id, end) <= 0)
    .filter(({ deliveredAt }) => now - deliveredAt >= idle)
    .slice(0, count)
    .map((one) => [formatId(one.id), one.consumer.name, now - one.deliveredAt, one.deliveries]);
}

function claim({ database }: Session, words: string[]): Reply {
  const [, key, name, consumerName, minIdleText] = words;
  const minIdle = Math.max(
    0,
    integer(minIdleText, 'ERR Invalid min-idle-time argument for XCLAIM'),
  );
  const { now } = database.engine;
  const options = new Options(words, 5);
  const ids: StreamId[] = [];
  while (options.left > 0 && /^\d/.test(words[options.position])) ids.push(idOf(options.value()));
  if (ids.length === 0) return fail(INVALID_ID);
  let deliveredAt = now;
  let deliveries: number | undefined;
  let force = false;
  let justId = false;
  let lastId = FIRST_ID;
  while (options.left > 0) {
    if (options.is('force')) force = true;
    else if (options.is('justid')) justId = true;
    else if (options.is('idle')) {
      deliveredAt = now - integer(options.value(), 'ERR Invalid IDLE option argument for XCLAIM');
    } else if (options.is('time')) {
      deliveredAt = integer(options.value(), 'ERR Invalid TIME option argument for XCLAIM');
    } else if (options.is('retrycount')) {
      deliveries = integer(options.value(), 'ERR Invalid RETRYCOUNT option argument for XCLAIM');
    } else if (options.is('lastid')) lastId = idOf(options.value());
    else return fail(`ERR Unrecognized XCLAIM option '${options.value()}'`);
  }
  const [stream, group] = groupOf(database, key, name);
  if (compareIds(lastId, group.lastDelivered) > 0) group.lastDelivered = lastId;
  const consumer = consumerOf(group, consumerName, now);
  consumer.seenAt = now;
  const claimed: Reply[] = [];
  for (const id of ids) {
    const entry = stream.get(id);
    const text = formatId(id);
    let pending = group.pending.get(text);
    if (entry === undefined) {
      group.pending.delete(text);
      continue;
    }
    if (pending === undefined && force) {
      pending = { id, consumer, deliveredAt: now, deliveries: 0 };
      group.pending.set(text, pending);
    } else if (pending === undefined || now - pending.deliveredAt < minIdle) continue;
    take(pending, consumer, Math.min(deliveredAt, now), now);
    if (deliveries !== undefined) pending.deliveries = deliveries;
    else if (!justId) pending.deliveries++;
    claimed.push(justId ? text : entryReply(entry));
  }
  if (claimed.length > 0) database.touched(key);
  return claimed;
}

function take(pending: Pending, consumer: Consumer, deliveredAt: number, now: number): void {
  pending.consumer = consumer;
  pending.deliveredAt = deliveredAt;
  consumer.activeAt = now;
}

function autoClaim({ database }: Session, words: string[]): Reply {
  const [, key, name, consumerName, minIdleText, startText] = words;
  const minIdle = Math.max(
    0,
    integer(minIdleText, 'ERR Invalid min-idle-time argument for XAUTOCLAIM'),
  );
  const start = startOf(startText);
  const options = new Options(words, 6);
  let count = 100;
  let justId = false;
  while (options.left > 0) {
    if (options.is('count')) {
      count = integer(options.value(), 'ERR COUNT must be > 0');
      if (count < 1) fail('ERR COUNT must be > 0');
    } else if (options.is('justid')) justId = true;
    else return syntaxError();
  }
  const { now } = database.engine;
  const [stream, group] = groupOf(database, key, name);
  const consumer = consumerOf(group, consumerName, now);
  consumer.seenAt = now;
  const claimed: Reply[] = [];
  const deleted: string[] = [];
  // So many are looked at, at most, for each that is wanted.
  let attempts = count * 10;
  let cursor = FIRST_ID;
  for (const pending of group.ordered().filter(({ id }) => compareIds(id, start) >= 0)) {
    if (attempts-- === 0 || claimed.length + deleted.length >= count) {
      cursor = pending.id;
      break;
    }
    const entry = stream.get(pending.id);
    if (entry === undefined) {
      group.pending.delete(formatId(pending.id));
      deleted.push(formatId(pending.id));
    } else if (now - pending.deliveredAt >= minIdle) {
      take(pending, consumer, now, now);
      if (!justId) pending.deliveries++;
      claimed.push(justId ? formatId(pending.id) : entryReply(entry));
    }
  }
  if (claimed.length > 0) database.touched(key);
  return [formatId(cursor), claimed, deleted];
}

export const streamGroups: CommandTable = {
  'xgroup|create': write(-5, createGroup, [2, 2, 1]),
  'xgroup|setid': write(-5, setGroupId, [2, 2, 1]),
  'xgroup|destroy': write(
    4,
    ({ database }, [, , key, name]) => {
      const stream = database.stream(key) ?? noKeyForGroup();
      const destroyed = stream.groups.delete(name);
      if (destroyed) database.changed(key, 'xgroup-destroy', 't');
      return +destroyed;
    },
    [2, 2, 1],
  ),
  'xgroup|createconsumer': write(
    5,
    ({ database }, [, , key, name, consumerName]) => {
      const [, group] = groupForChange(database, key, name);
      if (group.consumers.has(consumerName)) return 0;
      consumerOf(group, consumerName, database.engine.now);
      database.changed(key, 'xgroup-createconsumer', 't');
      return 1;
    },
    [2, 2, 1],
  ),
  'xgroup|delconsumer': write(5, deleteConsumer, [2, 2, 1]),
  xreadgroup: write(-7, readGroup, [0, 0, 0]),
  xack: write(-4, acknowledge),
  xpending: read(-3, pendingEntries),
  xclaim: write(-6, claim),
  xautoclaim: write(-6, autoClaim),
  'xinfo|stream': read(
    -3,
    ({ database }, words) => streamInfo(streamOf(database, words[2]), words),
    [2, 2, 1],
  ),
  'xinfo|groups': read(
    3,
    ({ database }, [, , key]) => groupsInfo(streamOf(database, key)),
    [2, 2, 1],
  ),
  'xinfo|consumers': read(
    4,
    ({ database }, [, , key, name]) => {
      const group = streamOf(database, key).groups.get(name);
      if (group === undefined) {
        return fail(`NOGROUP No such consumer group '${name}' for key name '${key}'`);
      }
      return consumersInfo(group, database.engine.now);
    },
    [2, 2, 1],
  ),
};
