/**
 * Ids and trimming, as the commands on streams are given them.
 */

import { integer, naturalNumber } from '../numbers.js';
import { fail, type Reply } from '../reply.js';
import {
  compareIds,
  FIRST_ID,
  following,
  formatId,
  LAST_ID,
  preceding,
  type Stream,
  type StreamEntry,
  type StreamId,
} from '../values/stream.js';
import type { Options } from './options.js';

export const INVALID_ID = 'ERR Invalid stream ID specified as stream command argument';
const PART_MAX = 2n ** 64n - 1n;
/** Entries of a node: what ~ rounds to. */
const NODE_ENTRIES = 100;

/** An id; without a sequence number it has the given one. */
export function idOf(text: string, sequence = 0n): StreamId {
  const [, ms, seq] = /^(\d{1,20})(?:-(\d{1,20}))?$/.exec(text) ?? [];
  if (ms === undefined) return fail(INVALID_ID);
  const id = { ms: BigInt(ms), seq: seq === undefined ? sequence : BigInt(seq) };
  return id.ms <= PART_MAX && id.seq <= PART_MAX ? id : fail(INVALID_ID);
}

/** The lower end of a range: `-`, an id, or one that is excluded. */
export function startOf(text: string): StreamId {
  if (text === '-') return FIRST_ID;
  if (text === '+') return LAST_ID;
  if (!text.startsWith('(')) return idOf(text);
  return following(idOf(text.slice(1))) ?? fail('ERR invalid start ID for the interval');
}

export function endOf(text: string): StreamId {
  if (text === '-') return FIRST_ID;
  if (text === '+') return LAST_ID;
  if (!text.startsWith('(')) return idOf(text, PART_MAX);
  return preceding(idOf(text.slice(1), PART_MAX)) ?? fail('ERR invalid end ID for the interval');
}

export const entryReply = ({ id, fields }: StreamEntry): Reply => [formatId(id), fields];

/** Drops entries of a stream; returns how many. */
export type Trim = (stream: Stream) => number;

/** Reads MAXLEN or MINID, whose name has been read. */
export function trimOptions(name: string, options: Options): Trim {
  const approximate = options.is('~');
  if (!approximate) options.is('=');
  const text = options.value();
  const least = name === 'minid' ? idOf(text) : undefined;
  const most = name === 'maxlen' ? naturalNumber(text, 'ERR The MAXLEN argument must be >= 0.') : 0;
  let limit = Infinity;
  if (options.is('limit')) {
    if (!approximate) {
      return fail('ERR syntax error, LIMIT cannot be used without the special ~ option');
    }
    limit = integer(options.value());
    if (limit < 0) fail('ERR The LIMIT argument must be >= 0.');
    if (limit === 0) limit = Infinity;
  }
  return (stream) => {
    let count =
      least === undefined ? Math.max(0, stream.entries.length - most) : stream.position(least);
    // Only whole nodes go when that is good enough.
    if (approximate) count -= count % NODE_ENTRIES;
    count = Math.min(count, limit);
    stream.trim(count);
    return count;
  };
}

/** Whether an id lies behind the last of a stream. */
export const isNew = (stream: Stream, id: StreamId): boolean => compareIds(id, stream.lastId) > 0;
