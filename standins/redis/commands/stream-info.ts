/**
 * What XINFO says.
 */

import { MapReply, type Reply } from '../reply.js';
import {
  compareIds,
  type ConsumerGroup,
  FIRST_ID,
  formatId,
  type Stream,
  type StreamId,
} from '../values/stream.js';
import { Options } from './options.js';
import { entryReply } from './stream-arguments.js';

/** How many entries a group has still to read, or null when deleted ones make that uncertain. */
function lagOf(stream: Stream, group: ConsumerGroup): number | null {
  if (stream.entriesAdded === 0) return 0;
  const deletedAhead = compareIds(stream.maxDeletedId, group.lastDelivered) > 0;
  if (group.entriesRead !== undefined && !deletedAhead) {
    return stream.entriesAdded - group.entriesRead;
  }
  const read = estimate(stream, group.lastDelivered);
  return read === undefined ? null : stream.entriesAdded - read;
}

/** How many entries were added up to an id, where that can be told. */
function estimate(stream: Stream, id: StreamId): number | undefined {
  const { entries, entriesAdded } = stream;
  if (entriesAdded === 0) return 0;
  if (compareIds(id, stream.lastId) === 0) return entriesAdded;
  if (entries.length === 0 && compareIds(id, stream.lastId) < 1) return entriesAdded;
  const intact =
    compareIds(stream.maxDeletedId, FIRST_ID) === 0 ||
    (entries.length > 0 && compareIds(stream.maxDeletedId, entries[0].id) < 0);
  if (!intact) return undefined;
  const order = compareIds(id, entries[0].id);
  if (order < 0) return entriesAdded - entries.length;
  return order === 0 ? entriesAdded - entries.length + 1 : undefined;
}

export function groupsInfo(stream: Stream): Reply {
  return [...stream.groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, group]) =>
        new MapReply([
          'name',
          name,
          'consumers',
          group.consumers.size,
          'pending',
          group.pending.size,
          'last-delivered-id',
          formatId(group.lastDelivered),
          'entries-read',
          group.entriesRead ?? null,
          'lag',
          lagOf(stream, group),
        ]),
    );
}

export function consumersInfo(group: ConsumerGroup, now: number): Reply {
  return [...group.consumers.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      (consumer) =>
        new MapReply([
          'name',
          consumer.name,
          'pending',
          group.ordered(consumer).length,
          'idle',
          now - consumer.seenAt,
          'inactive',
          consumer.activeAt < 0 ? -1 : now - consumer.activeAt,
        ]),
    );
}

export function streamInfo(stream: Stream, words: string[]): Reply {
  const options = new Options(words, 3);
  const { entries } = stream;
  const nodes = Math.ceil(entries.length / 100);
  const common: Reply[] = [
    'length',
    entries.length,
    'radix-tree-keys',
    nodes,
    'radix-tree-nodes',
    nodes + 1,
    'last-generated-id',
    formatId(stream.lastId),
    'max-deleted-entry-id',
    formatId(stream.maxDeletedId),
    'entries-added',
    stream.entriesAdded,
    'recorded-first-entry-id',
    formatId(entries[0]?.id ?? FIRST_ID),
  ];
  if (!options.is('full')) {
    return new MapReply([
      ...common,
      'groups',
      stream.groups.size,
      'first-entry',
      entries.length === 0 ? null : entryReply(entries[0]),
      'last-entry',
      entries.length === 0 ? null : entryReply(entries[entries.length - 1]),
    ]);
  }
  const given = options.is('count') ? Number(options.value()) : 10;
  const count = given === 0 ? undefined : given;
  const groups = [...stream.groups].map(([name, group]) => {
    const consumers = [...group.consumers.values()].map((consumer) => {
      const pending = group.ordered(consumer);
      const shown = pending
        .slice(0, count)
        .map((one) => [formatId(one.id), one.deliveredAt, one.deliveries]);
      return new MapReply([
        'name',
        consumer.name,
        'seen-time',
        consumer.seenAt,
        'active-time',
        consumer.activeAt,
        'pel-count',
        pending.length,
        'pending',
        shown,
      ]);
    });
    const pending = group
      .ordered()
      .slice(0, count)
      .map((one) => [formatId(one.id), one.consumer.name, one.deliveredAt, one.deliveries]);
    return new MapReply([
      'name',
      name,
      'last-delivered-id',
      formatId(group.lastDelivered),
      'entries-read',
      group.entriesRead ?? null,
      'lag',
      lagOf(stream, group),
      'pel-count',
      group.pending.size,
      'pending',
      pending,
      'consumers',
      consumers,
    ]);
  });
  return new MapReply([
    ...common,
    'entries',
    entries.slice(0, count).map(entryReply),
    'groups',
    groups,
  ]);
}
