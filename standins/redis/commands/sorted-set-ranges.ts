/**
 * Commands on ranges of sorted sets.
 */

import { integer } from '../numbers.js';
import { fail, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { type Scored, SortedSet } from '../values/sorted-set.js';
import { type RangeKind, rangeOf } from './bounds.js';
import { type CommandTable, read, write } from './command.js';
import { Options } from './options.js';
import { scoredReply } from './sorted-sets.js';

interface RangeOptions {
  kind: RangeKind;
  reverse: boolean;
  withScores: boolean;
  limit: { offset: number; count: number } | undefined;
}

/** Reads what stands behind the two ends of a range; `known` says what the command's name says. */
function rangeOptions(
  words: string[],
  at: number,
  known: Partial<RangeOptions>,
  allowed: string,
): RangeOptions {
  const result: RangeOptions = {
    kind: 'rank',
    reverse: false,
    withScores: false,
    limit: undefined,
    ...known,
  };
  const options = new Options(words, at);
  while (options.left > 0) {
    const name = options.name();
    if (!allowed.split(' ').includes(name)) return syntaxError();
    if (name === 'withscores') result.withScores = true;
    else if (name === 'rev') result.reverse = true;
    else if (name === 'byscore') result.kind = 'score';
    else if (name === 'bylex') result.kind = 'lex';
    else {
      if (options.left < 2) return syntaxError();
      result.limit = { offset: integer(options.value()), count: integer(options.value()) };
    }
  }
  if (result.limit !== undefined && result.kind === 'rank') {
    return fail(
      'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
    );
  }
  if (result.withScores && result.kind === 'lex') {
    return fail('ERR syntax error, WITHSCORES not supported in combination with BYLEX');
  }
  return result;
}

function select(
  set: SortedSet | undefined,
  from: string,
  to: string,
  { kind, reverse, limit }: RangeOptions,
): Scored[] {
  const flip = reverse && kind !== 'rank';
  const range = rangeOf(kind, flip ? to : from, flip ? from : to);
  if (set === undefined) return [];
  let { start, end } = range(set);
  if (reverse && kind === 'rank') [start, end] = [set.size - end, set.size - start];
  const items = set.order.slice(start, Math.max(start, end));
  if (reverse) items.reverse();
  if (limit === undefined) return items;
  if (limit.offset < 0) return [];
  return items.slice(limit.offset, limit.count < 0 ? undefined : limit.offset + limit.count);
}

const rangeCommand =
  (known: Partial<RangeOptions>, allowed: string) =>
  ({ database }: Session, words: string[]): Reply => {
    const options = rangeOptions(words, 4, known, allowed);
    const items = select(database.sorted(words[1]), words[2], words[3], options);
    return options.withScores ? scoredReply(items) : items.map(({ member }) => member);
  };

function store({ database }: Session, words: string[]): Reply {
  const [, target, key, from, to] = words;
  const options = rangeOptions(words, 5, {}, 'rev byscore bylex limit');
  const items = select(database.sorted(key), from, to, options);
  if (items.length === 0) {
    database.delete(target);
    return 0;
  }
  database.set(target, SortedSet.of(items));
  database.changed(target, 'zrangestore', 'z');
  return items.length;
}

const remove =
  (kind: RangeKind, event: string) =>
  ({ database }: Session, [, key, from, to]: string[]): Reply => {
    const range = rangeOf(kind, from, to);
    const set = database.sorted(key);
    if (set === undefined) return 0;
    const { start, end } = range(set);
    const removed = set.removeRange(start, end).length;
    if (removed > 0) database.shrunk(key, set, event, 'z');
    return removed;
  };

const count =
  (kind: RangeKind) =>
  ({ database }: Session, [, key, from, to]: string[]): Reply => {
    const range = rangeOf(kind, from, to);
    const set = database.sorted(key);
    if (set === undefined) return 0;
    const { start, end } = range(set);
    return Math.max(0, end - start);
  };

export const sortedSetRanges: CommandTable = {
  zrange: read(-4, rangeCommand({}, 'withscores rev byscore bylex limit')),
  zrevrange: read(-4, rangeCommand({ reverse: true }, 'withscores')),
  zrangebyscore: read(-4, rangeCommand({ kind: 'score' }, 'withscores limit')),
  zrevrangebyscore: read(-4, rangeCommand({ kind: 'score', reverse: true }, 'withscores limit')),
  zrangebylex: read(-4, rangeCommand({ kind: 'lex' }, 'limit')),
  zrevrangebylex: read(-4, rangeCommand({ kind: 'lex', reverse: true }, 'limit')),
  zrangestore: write(-5, store, [1, 2, 1]),
  zremrangebyrank: write(4, remove('rank', 'zremrangebyrank')),
  zremrangebyscore: write(4, remove('score', 'zremrangebyscore')),
  zremrangebylex: write(4, remove('lex', 'zremrangebylex')),
  zcount: read(4, count('score')),
  zlexcount: read(4, count('lex')),
};
