/**
 * SCAN and its kin.
 *
 * A cursor is a place on a circle of hashes: a call returns what has its hash between the cursor
 * and the next one. So whatever is there from the beginning to the end of a scan is returned, as
 * Redis promises, no state is kept, and the same keys come in the same order in every run.
 */

import { glob } from '../glob.js';
import { formatDouble, integer } from '../numbers.js';
import { fail, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { encodingOf, typeName, type Value } from '../values/index.js';
import { type CommandTable, NO_KEYS, read } from './command.js';
import { Options } from './options.js';

const CIRCLE = 2 ** 32;
const COUNT = 10;

/** FNV-1a, of the bytes, mixed so that similar words are far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

interface ScanOptions {
  readonly cursor: number;
  readonly matches: (text: string) => boolean;
  readonly count: number;
  readonly type: string | undefined;
}

function scanOptions(words: string[], at: number, allowType: boolean): ScanOptions {
  const cursor = /^\d+$/.test(words[at]) ? Number(words[at]) : fail('ERR invalid cursor');
  const options = new Options(words, at + 1);
  let matches = (_: string): boolean => true;
  let count = COUNT;
  let type: string | undefined;
  while (options.left > 0) {
    const name = options.name();
    if (options.left === 0) return syntaxError();
    if (name === 'match') matches = glob(options.value());
    else if (name === 'count') {
      count = integer(options.value());
      if (count < 1) return syntaxError();
    } else if (name === 'type' && allowType) type = options.value().toLowerCase();
    else return syntaxError();
  }
  return { cursor, matches, count, type };
}

/** What a call returns, by hash, and the cursor for the next call. */
function sweep(words: readonly string[], { cursor, count }: ScanOptions): [string, string[]] {
  const step = words.length <= count ? CIRCLE : Math.ceil((CIRCLE * count) / words.length);
  const end = cursor + step;
  const found: { word: string; hash: number }[] = [];
  for (const word of words) {
    const hash = hashOf(word);
    if (hash >= cursor && hash < end) found.push({ word, hash });
  }
  found.sort((a, b) => a.hash - b.hash);
  return [end >= CIRCLE ? '0' : String(end), found.map(({ word }) => word)];
}

/** Scans a value; a small one comes in one piece. */
function scanValue<V extends Value>(
  words: string[],
  value: V | undefined,
  names: (value: V) => Iterable<string>,
  item: (value: V, name: string) => Reply[],
): Reply {
  const options = scanOptions(words, 2, false);
  if (value === undefined) return ['0', []];
  const all = [...names(value)];
  const compact = /^(?:listpack|intset)$/.test(encodingOf(value));
  const [cursor, found] = compact ? ['0', all] : sweep(all, options);
  return [cursor, found.filter(options.matches).flatMap((name) => item(value, name))];
}

function scanKeys({ database }: Session, words: string[]): Reply {
  const options = scanOptions(words, 1, true);
  const [cursor, found] = sweep(database.keys(), options);
  const wanted = found.filter(
    (key) =>
      options.matches(key) &&
      (options.type === undefined || typeName(database.get(key)!) === options.type),
  );
  return [cursor, wanted];
}

export const scan: CommandTable = {
  scan: read(-2, scanKeys, NO_KEYS),
  hscan: read(-3, ({ database }, words) =>
    scanValue(
      words,
      database.hash(words[1]),
      (hash) => hash.keys(),
      (hash, field) => [field, hash.get(field)!],
    ),
  ),
  sscan: read(-3, ({ database }, words) =>
    scanValue(
      words,
      database.members(words[1]),
      (set) => set,
      (_, member) => [member],
    ),
  ),
  zscan: read(-3, ({ database }, words) =>
    scanValue(
      words,
      database.sorted(words[1]),
      (set) => set.order.map(({ member }) => member),
      (set, member) => [member, formatDouble(set.scores.get(member)!)],
    ),
  ),
};
