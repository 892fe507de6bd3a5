/**
 * The kinds of values that a key can hold, and their names.
 */

import { HyperLogLog } from './hyperloglog.js';
import { List } from './list.js';
import { SortedSet } from './sorted-set.js';
import { ConsumerGroup, Stream } from './stream.js';

export type Hash = Map<string, string>;
export type Value = string | Hash | List | Set<string> | SortedSet | Stream | HyperLogLog;

/** What TYPE says. */
export function typeName(value: Value): string {
  if (typeof value === 'string' || value instanceof HyperLogLog) return 'string';
  if (value instanceof Map) return 'hash';
  if (value instanceof List) return 'list';
  if (value instanceof Set) return 'set';
  return value instanceof Stream ? 'stream' : 'zset';
}

/** How many items a value has; one without is taken away. */
export function sizeOf(value: Value): number {
  if (value instanceof List) return value.length;
  if (value instanceof Map || value instanceof Set || value instanceof SortedSet) return value.size;
  return 1;
}

/** A copy that shares nothing. */
export function copyOf(value: Value): Value {
  if (typeof value === 'string') return value;
  if (value instanceof Map) return new Map(value);
  if (value instanceof Set) return new Set(value);
  if (value instanceof List) return List.of(value.items());
  if (value instanceof SortedSet) return SortedSet.of(value.order);
  if (value instanceof HyperLogLog) {
    const copy = new HyperLogLog();
    for (const member of value.members) copy.members.add(member);
    return copy;
  }
  return copyOfStream(value);
}

function copyOfStream(stream: Stream): Stream {
  const copy = new Stream();
  copy.entries = [...stream.entries];
  copy.lastId = stream.lastId;
  copy.maxDeletedId = stream.maxDeletedId;
  copy.entriesAdded = stream.entriesAdded;
  for (const [name, group] of stream.groups) copy.groups.set(name, copyOfGroup(group));
  return copy;
}

function copyOfGroup(group: ConsumerGroup): ConsumerGroup {
  const copy = new ConsumerGroup(group.lastDelivered, group.entriesRead);
  for (const [name, consumer] of group.consumers) copy.consumers.set(name, { ...consumer });
  for (const [id, pending] of group.pending) {
    copy.pending.set(id, { ...pending, consumer: copy.consumers.get(pending.consumer.name)! });
  }
  return copy;
}

/** How many items, and how long ones, the compact encodings hold. */
const COMPACT_ITEMS = { hash: 128, set: 128, zset: 128, intset: 512 };
const COMPACT_BYTES = 64;
const INTEGER = /^(?:0|-?[1-9]\d{0,17})$/;

/** What OBJECT ENCODING says. */
export function encodingOf(value: Value): string {
  if (typeof value === 'string') {
    if (INTEGER.test(value)) return 'int';
    return value.length <= 44 ? 'embstr' : 'raw';
  }
  if (value instanceof HyperLogLog) return 'raw';
  if (value instanceof Stream) return 'stream';
  if (value instanceof List) {
    const bytes = value.items().reduce((sum, item) => sum + item.length + 4, 7);
    return bytes <= 8192 ? 'listpack' : 'quicklist';
  }
  if (value instanceof Set) return encodingOfSet(value);
  if (value instanceof SortedSet) {
    return isCompact(value.scores.keys(), value.size, COMPACT_ITEMS.zset) ? 'listpack' : 'skiplist';
  }
  const words = [...value.keys(), ...value.values()];
  return isCompact(words, value.size, COMPACT_ITEMS.hash) ? 'listpack' : 'hashtable';
}

function encodingOfSet(set: Set<string>): string {
  const integers = [...set].every((member) => INTEGER.test(member));
  if (integers && set.size <= COMPACT_ITEMS.intset) return 'intset';
  return isCompact(set, set.size, COMPACT_ITEMS.set) ? 'listpack' : 'hashtable';
}

function isCompact(words: Iterable<string>, size: number, sizeMax: number): boolean {
  if (size > sizeMax) return false;
  for (const word of words) if (word.length > COMPACT_BYTES) return false;
  return true;
}
