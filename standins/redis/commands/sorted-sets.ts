/**
 * Commands on members of sorted sets.
 */

import type { Database } from '../database.js';
import { double, formatDouble, integer, naturalNumber } from '../numbers.js';
import { ByProtocol, Double, fail, NULL_ARRAY, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { type Scored, SortedSet } from '../values/sorted-set.js';
import { blocking, type CommandTable, read, write } from './command.js';
import { Options } from './options.js';
import { draw } from './random.js';
import { timeout } from './timeout.js';

export const create = (): SortedSet => new SortedSet();

/** Members and scores: one after the other in RESP2, in pairs in RESP3. */
export function scoredReply(items: readonly Scored[]): Reply {
  return new ByProtocol(
    items.flatMap(({ member, score }) => [member, formatDouble(score)]),
    items.map(({ member, score }) => [member, new Double(score)]),
  );
}

const CONDITIONS = ['nx', 'xx', 'gt', 'lt'];

function add({ database }: Session, words: string[]): Reply {
  const key = words[1];
  const options = new Options(words, 2);
  const given = new Set<string>();
  while (options.left > 0) {
    const name = [...CONDITIONS, 'ch', 'incr'].find((one) => options.is(one));
    if (name === undefined) break;
    given.add(name);
  }
  const rest = options.rest();
  if (rest.length === 0 || rest.length % 2 !== 0) return syntaxError();
  if (given.has('nx') && given.has('xx')) {
    return fail('ERR XX and NX options at the same time are not compatible');
  }
  if (CONDITIONS.filter((one) => one !== 'xx' && given.has(one)).length > 1) {
    return fail('ERR GT, LT, and/or NX options at the same time are not compatible');
  }
  const incr = given.has('incr');
  if (incr && rest.length > 2) {
    return fail('ERR INCR option supports a single increment-element pair');
  }
  const scores = rest.filter((_, i) => i % 2 === 0).map((text) => double(text));
  const found = database.sorted(key);
  if (found === undefined && given.has('xx')) return incr ? null : 0;
  const set = database.obtain(key, found, create);
  let added = 0;
  let updated = 0;
  let result: number | undefined;
  scores.forEach((given_, i) => {
    const member = rest[2 * i + 1];
    const old = set.scores.get(member);
    if (old === undefined ? given.has('xx') : given.has('nx')) return;
    const score = incr && old !== undefined ? sum(old, given_) : given_;
    if (old !== undefined && given.has('gt') && score <= old) return;
    if (old !== undefined && given.has('lt') && score >= old) return;
    result = score;
    if (old === score) return;
    set.set(member, score);
    if (old === undefined) added++;
    else updated++;
  });
  if (added + updated > 0) database.changed(key, incr ? 'zincr' : 'zadd', 'z');
  if (set.size === 0) database.remove(key);
  if (incr) return result === undefined ? null : new Double(result);
  return given.has('ch') ? added + updated : added;
}

function sum(old: number, by: number): number {
  const result = old + by;
  return Number.isNaN(result) ? fail('ERR resulting score is not a number (NaN)') : result;
}

function rank({ database }: Session, words: string[], reverse: boolean): Reply {
  const [, key, member] = words;
  const options = new Options(words, 3);
  const withScore = options.is('withscore');
  if (options.left > 0) return syntaxError();
  const set = database.sorted(key);
  if (!set?.scores.has(member)) return withScore ? NULL_ARRAY : null;
  const position = reverse ? set.size - 1 - set.rank(member) : set.rank(member);
  return withScore ? [position, new Double(set.scores.get(member)!)] : position;
}

type End = 'min' | 'max';

function takeEnd(database: Database, key: string, set: SortedSet, end: End, max: number): Scored[] {
  const count = Math.min(max, set.size);
  const items =
    end === 'min'
      ? set.removeRange(0, count)
      : set.removeRange(set.size - count, set.size).reverse();
  if (items.length > 0) database.shrunk(key, set, end === 'min' ? 'zpopmin' : 'zpopmax', 'z');
  return items;
}

function pop({ database }: Session, words: string[], end: End): Reply {
  if (words.length > 3) return syntaxError();
  const key = words[1];
  const count =
    words.length === 3
      ? naturalNumber(words[2], 'ERR value is out of range, must be positive')
      : undefined;
  const set = database.sorted(key);
  if (set === undefined) return [];
  const items = takeEnd(database, key, set, end, count ?? 1);
  if (count !== undefined) return scoredReply(items);
  return [items[0].member, new Double(items[0].score)];
}

function blockingPop(session: Session, words: string[], end: End): Reply {
  const { database } = session;
  const keys = words.slice(1, -1);
  const time = timeout(words[words.length - 1]);
  return database.engine.blocking.wait(session, keys, time, NULL_ARRAY, () => {
    for (const key of keys) {
      const set = database.sorted(key);
      if (set === undefined) continue;
      const [{ member, score }] = takeEnd(database, key, set, end, 1);
      return [key, member, new Double(score)];
    }
    return undefined;
  });
}

/** ZMPOP: keys by their number, the end, and how many. */
function popFromFirst(session: Session, words: string[], at: number): () => Reply | undefined {
  const { database } = session;
  const options = new Options(words, at);
  const count = integer(options.value(), 'ERR numkeys should be greater than 0');
  if (count <= 0) fail('ERR numkeys should be greater than 0');
  const keys = Array.from({ length: count }, () => options.value());
  const end = options.is('min') ? 'min' : options.is('max') ? 'max' : syntaxError();
  let most = 1;
  if (options.left > 0) {
    if (!options.is('count')) syntaxError();
    most = integer(options.value(), 'ERR count should be greater than 0');
    if (most <= 0) fail('ERR count should be greater than 0');
    if (options.left > 0) syntaxError();
  }
  return () => {
    for (const key of keys) {
      const set = database.sorted(key);
      if (set === undefined) continue;
      const items = takeEnd(database, key, set, end, most);
      return [key, items.map(({ member, score }) => [member, new Double(score)])];
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

function randomMember({ database }: Session, words: string[]): Reply {
  const set = database.sorted(words[1]);
  if (words.length === 2) return draw(set?.order ?? [], 1)[0]?.member ?? null;
  const options = new Options(words, 2);
  const count = integer(options.value());
  const withScores = options.is('withscores');
  if (options.left > 0) return syntaxError();
  const items = draw(set?.order ?? [], count);
  return withScores ? scoredReply(items) : items.map(({ member }) => member);
}

export const sortedSets: CommandTable = {
  zadd: write(-4, add),
  zincrby: write(4, ({ database }, [, key, by, member]) => {
    const amount = double(by);
    const set = database.obtain(key, database.sorted(key), create);
    const score = sum(set.scores.get(member) ?? 0, amount);
    set.set(member, score);
    database.changed(key, 'zincr', 'z');
    return new Double(score);
  }),
  zrem: write(-3, ({ database }, [, key, ...members]) => {
    const set = database.sorted(key);
    if (set === undefined) return 0;
    const removed = members.filter((member) => set.delete(member)).length;
    if (removed > 0) database.shrunk(key, set, 'zrem', 'z');
    return removed;
  }),
  zcard: read(2, ({ database }, [, key]) => database.sorted(key)?.size ?? 0),
  zscore: read(3, ({ database }, [, key, member]) => {
    const score = database.sorted(key)?.scores.get(member);
    return score === undefined ? null : new Double(score);
  }),
  zmscore: read(-3, ({ database }, [, key, ...members]) => {
    const set = database.sorted(key);
    return members.map((member) => {
      const score = set?.scores.get(member);
      return score === undefined ? null : new Double(score);
    });
  }),
  zrank: read(-3, (session, words) => rank(session, words, false)),
  zrevrank: read(-3, (session, words) => rank(session, words, true)),
  zpopmin: write(-2, (session, words) => pop(session, words, 'min')),
  zpopmax: write(-2, (session, words) => pop(session, words, 'max')),
  bzpopmin: blocking(-3, (session, words) => blockingPop(session, words, 'min'), [1, -2, 1]),
  bzpopmax: blocking(-3, (session, words) => blockingPop(session, words, 'max'), [1, -2, 1]),
  zmpop: write(-4, (session, words) => popFromFirst(session, words, 1)() ?? NULL_ARRAY, [0, 0, 0]),
  bzmpop: blocking(-5, blockingPopFromFirst, [0, 0, 0]),
  zrandmember: read(-2, randomMember),
};
