/**
 * PFADD, PFCOUNT, PFMERGE.
 */

import type { Database } from '../database.js';
import { fail, OK } from '../reply.js';
import { HyperLogLog } from '../values/hyperloglog.js';
import { ALL_KEYS, type CommandTable, read, write } from './command.js';

const create = (): HyperLogLog => new HyperLogLog();

function found(database: Database, key: string): HyperLogLog | undefined {
  const value = database.get(key);
  if (value === undefined || value instanceof HyperLogLog) return value;
  if (typeof value !== 'string') database.string(key);
  return fail('WRONGTYPE Key is not a valid HyperLogLog string value.');
}

export const hyperloglog: CommandTable = {
  pfadd: write(-2, ({ database }, [, key, ...members]) => {
    const old = found(database, key);
    const log = database.obtain(key, old, create);
    const before = log.members.size;
    for (const member of members) log.members.add(member);
    if (old !== undefined && log.members.size === before) return 0;
    database.changed(key, 'pfadd', '$');
    return 1;
  }),
  pfcount: read(
    -2,
    ({ database }, [, ...keys]) =>
      new Set(keys.flatMap((key) => [...(found(database, key)?.members ?? [])])).size,
    ALL_KEYS,
  ),
  pfmerge: write(
    -2,
    ({ database }, [, target, ...keys]) => {
      const sources = keys.map((key) => found(database, key));
      const log = database.obtain(target, found(database, target), create);
      for (const source of sources) {
        for (const member of source?.members ?? []) log.members.add(member);
      }
      database.changed(target, 'pfadd', '$');
      return OK;
    },
    ALL_KEYS,
  ),
};
