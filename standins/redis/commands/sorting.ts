/**
 * SORT: by value, by other keys, with values of other keys.
 */

import type { Database } from '../database.js';
import { double, integer } from '../numbers.js';
import { fail, type Reply, syntaxError } from '../reply.js';
import type { Session } from '../session.js';
import { List } from '../values/list.js';
import { SortedSet } from '../values/sorted-set.js';
import { type CommandTable, read, write } from './command.js';
import { Options } from './options.js';

interface SortOptions {
  by: string | undefined;
  readonly get: string[];
  limit: { offset: number; count: number } | undefined;
  descending: boolean;
  alpha: boolean;
  store: string | undefined;
}

function sortOptions(words: string[], mayStore: boolean): SortOptions {
  const result: SortOptions = {
    by: undefined,
    get: [],
    limit: undefined,
    descending: false,
    alpha: false,
    store: undefined,
  };
  const options = new Options(words, 2);
  while (options.left > 0) {
    const name = options.name();
    if (name === 'asc') result.descending = false;
    else if (name === 'desc') result.descending = true;
    else if (name === 'alpha') result.alpha = true;
    else if (name === 'limit' && options.left >= 2) {
      result.limit = { offset: integer(options.value()), count: integer(options.value()) };
    } else if (name === 'store' && mayStore && options.left >= 1) result.store = options.value();
    else if (name === 'by' && options.left >= 1) result.by = options.value();
    else if (name === 'get' && options.left >= 1) result.get.push(options.value());
    else return syntaxError();
  }
  return result;
}

/** The value of another key, or of a field of one, that a pattern names for an item. */
function lookUp(database: Database, pattern: string, item: string): string | undefined {
  if (pattern === '#') return item;
  if (!pattern.includes('*')) return undefined;
  const arrow = pattern.indexOf('->', pattern.indexOf('*'));
  const field = arrow < 0 || arrow + 2 === pattern.length ? undefined : pattern.slice(arrow + 2);
  const name = field === undefined ? pattern : pattern.slice(0, arrow);
  const value = database.get(name.replace('*', () => item));
  if (field === undefined) return typeof value === 'string' ? value : undefined;
  return value instanceof Map ? value.get(field) : undefined;
}

function itemsOf(database: Database, key: string): string[] {
  const value = database.get(key);
  if (value === undefined) return [];
  if (value instanceof List) return value.items();
  if (value instanceof Set) return [...value];
  if (value instanceof SortedSet) return value.order.map(({ member }) => member);
  return fail('WRONGTYPE Operation against a key holding the wrong kind of value');
}

function sorted(database: Database, items: string[], options: SortOptions): string[] {
  const { by, alpha, descending } = options;
  if (by !== undefined && !by.includes('*')) return items;
  const sign = descending ? -1 : 1;
  const weights = items.map((item) => {
    const text = by === undefined ? item : lookUp(database, by, item);
    if (alpha) return text ?? '';
    return double(text ?? '0', "ERR One or more scores can't be converted into double");
  });
  return items
    .map((item, i) => ({ item, weight: weights[i] }))
    .sort((a, b) => {
      if (a.weight !== b.weight) return sign * (a.weight < b.weight ? -1 : 1);
      // Equal ones are ordered by their bytes, so that the order is always the same.
      return by === undefined && alpha ? 0 : sign * (a.item < b.item ? -1 : +(a.item > b.item));
    })
    .map(({ item }) => item);
}

function sort({ database }: Session, words: string[], mayStore: boolean): Reply {
  const options = sortOptions(words, mayStore);
  let items = sorted(database, itemsOf(database, words[1]), options);
  if (options.limit !== undefined) {
    const start = Math.max(0, options.limit.offset);
    const { count } = options.limit;
    items = items.slice(start, count < 0 ? undefined : start + count);
  }
  const found =
    options.get.length === 0
      ? items
      : items.flatMap((item) => options.get.map((one) => lookUp(database, one, item) ?? null));
  const { store } = options;
  if (store === undefined) return found;
  if (found.length === 0) {
    database.delete(store);
    return 0;
  }
  database.set(store, List.of(found.map((item) => item ?? '')));
  database.changed(store, 'sortstore', 'l');
  return found.length;
}

export const sorting: CommandTable = {
  sort: write(-2, (session, words) => sort(session, words, true)),
  sort_ro: read(-2, (session, words) => sort(session, words, false)),
};
