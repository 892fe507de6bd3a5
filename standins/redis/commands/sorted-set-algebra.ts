/**
 * Unions, intersections and differences of sorted sets; plain sets count with score 1.
 */

import type { Database } from '../database.js';
import { double, integer, naturalNumber } from '../numbers.js';
import { fail, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { SortedSet } from '../values/sorted-set.js';
import { type CommandTable, NO_KEYS, read, write } from './command.js';
import { Options } from './options.js';
import { scoredReply } from './sorted-sets.js';

type Operation = 'union' | 'inter' | 'diff';
type Scores = ReadonlyMap<string, number>;

interface Input {
  readonly keys: string[];
  readonly weights: number[];
  readonly aggregate: (a: number, b: number) => number;
  readonly withScores: boolean;
}

/** Infinity and its opposite make 0, as in Redis. */
const plus = (a: number, b: number): number => (Number.isNaN(a + b) ? 0 : a + b);
const AGGREGATES: Readonly<Record<string, (a: number, b: number) => number>> = {
  sum: plus,
  min: Math.min,
  max: Math.max,
};

function inputOf(words: string[], at: number, operation: Operation, store: boolean): Input {
  const options = new Options(words, at);
  const count = integer(options.value());
  if (count < 1) {
    return fail(`ERR at least 1 input key is needed for '${words[0].toLowerCase()}' command`);
  }
  if (count > options.left) return syntaxError();
  const keys = Array.from({ length: count }, () => options.value());
  let weights = keys.map(() => 1);
  let aggregate = plus;
  let withScores = false;
  while (options.left > 0) {
    if (operation !== 'diff' && options.is('weights')) {
      if (options.left < count) return syntaxError();
      weights = keys.map(() => double(options.value(), 'ERR weight value is not a float'));
    } else if (operation !== 'diff' && options.is('aggregate')) {
      aggregate = AGGREGATES[options.value().toLowerCase()] ?? syntaxError();
    } else if (!store && options.is('withscores')) withScores = true;
    else return syntaxError();
  }
  return { keys, weights, aggregate, withScores };
}

function scoresOf(database: Database, key: string): Scores {
  const value = database.get(key);
  if (value === undefined) return new Map();
  if (value instanceof Set) return new Map([...value].map((member) => [member, 1]));
  return database.sorted(key)!.scores;
}

function combine(database: Database, operation: Operation, input: Input): SortedSet {
  const inputs = input.keys.map((key) => scoresOf(database, key));
  const result = new Map<string, number>();
  inputs.forEach((scores, i) => {
    for (const [member, score] of scores) {
      const weighted = plus(score * input.weights[i], 0);
      const old = result.get(member);
      if (operation === 'union' || i === 0) {
        result.set(member, old === undefined ? weighted : input.aggregate(old, weighted));
      } else if (operation === 'inter' && old !== undefined) {
        result.set(member, input.aggregate(old, weighted));
      } else if (operation === 'diff') result.delete(member);
    }
    if (operation !== 'inter') return;
    for (const member of [...result.keys()]) if (!scores.has(member)) result.delete(member);
  });
  return SortedSet.of([...result].map(([member, score]) => ({ member, score })));
}

const combination =
  (operation: Operation) =>
  ({ database }: Session, words: string[]): Reply => {
    const input = inputOf(words, 1, operation, false);
    const { order } = combine(database, operation, input);
    return input.withScores ? scoredReply(order) : order.map(({ member }) => member);
  };

const storing =
  (operation: Operation) =>
  ({ database }: Session, words: string[]): Reply => {
    const target = words[1];
    const result = combine(database, operation, inputOf(words, 2, operation, true));
    if (result.size === 0) {
      database.delete(target);
      return 0;
    }
    database.set(target, result);
    database.changed(target, `z${operation}store`, 'z');
    return result.size;
  };

function intersectionSize({ database }: Session, words: string[]): Reply {
  const options = new Options(words, 1);
  const count = integer(options.value(), 'ERR numkeys should be greater than 0');
  if (count < 1) return fail('ERR numkeys should be greater than 0');
  if (count > options.left) return syntaxError();
  const keys = Array.from({ length: count }, () => options.value());
  let limit = 0;
  if (options.left > 0) {
    if (!options.is('limit')) return syntaxError();
    limit = naturalNumber(options.value(), "ERR LIMIT can't be negative");
    if (options.left > 0) return syntaxError();
  }
  const weights = keys.map(() => 1);
  const { size } = combine(database, 'inter', {
    keys,
    weights,
    aggregate: plus,
    withScores: false,
  });
  return limit === 0 ? size : Math.min(size, limit);
}

export const sortedSetAlgebra: CommandTable = {
  zunion: read(-3, combination('union'), NO_KEYS),
  zinter: read(-3, combination('inter'), NO_KEYS),
  zdiff: read(-3, combination('diff'), NO_KEYS),
  zunionstore: write(-4, storing('union')),
  zinterstore: write(-4, storing('inter')),
  zdiffstore: write(-4, storing('diff')),
  zintercard: read(-3, intersectionSize, NO_KEYS),
};
