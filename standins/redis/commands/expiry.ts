/**
 * Commands on the times at which keys expire.
 */

import { fail, type Reply } from '../reply.js';
import type { Session } from '../session.js';
import { type CommandTable, read, write } from './command.js';
import { deadline, type TimeUnit, TIME_UNITS } from './deadline.js';

const CONDITIONS = new Set(['nx', 'xx', 'gt', 'lt']);

function conditionsOf(words: string[]): Set<string> {
  const given = new Set<string>();
  for (const word of words.slice(3)) {
    const name = word.toLowerCase();
    if (!CONDITIONS.has(name)) return fail(`ERR Unsupported option ${word}`);
    given.add(name);
  }
  if (given.has('nx') && given.size > 1) {
    return fail('ERR NX and XX, GT or LT options at the same time are not compatible');
  }
  if (given.has('gt') && given.has('lt')) {
    return fail('ERR GT and LT options at the same time are not compatible');
  }
  return given;
}

const expire =
  (unit: TimeUnit, name: string) =>
  (session: Session, words: string[]): Reply => {
    const { database } = session;
    const [, key, text] = words;
    const conditions = conditionsOf(words);
    const expiresAt = deadline(session, text, unit, name);
    if (!database.has(key)) return 0;
    const old = database.expiryOf(key);
    if (conditions.has('nx') && old !== undefined) return 0;
    if (conditions.has('xx') && old === undefined) return 0;
    // A key without a time counts as one that stays for ever.
    if (conditions.has('gt') && (old === undefined || expiresAt <= old)) return 0;
    if (conditions.has('lt') && old !== undefined && expiresAt >= old) return 0;
    if (expiresAt <= database.engine.now) {
      database.delete(key);
      return 1;
    }
    database.setExpiry(key, expiresAt);
    database.changed(key, 'expire', 'g');
    return 1;
  };

const timeLeft =
  (perUnit: number) =>
  ({ database }: Session, [, key]: string[]): Reply => {
    if (!database.has(key)) return -2;
    const expiresAt = database.expiryOf(key);
    if (expiresAt === undefined) return -1;
    const left = Math.max(0, expiresAt - database.engine.now);
    return perUnit === 1 ? left : Math.floor((left + perUnit / 2) / perUnit);
  };

const expiryTime =
  (perUnit: number) =>
  ({ database }: Session, [, key]: string[]): Reply => {
    if (!database.has(key)) return -2;
    const expiresAt = database.expiryOf(key);
    if (expiresAt === undefined) return -1;
    return perUnit === 1 ? expiresAt : Math.floor((expiresAt + perUnit / 2) / perUnit);
  };

export const expiry: CommandTable = {
  expire: write(-3, expire(TIME_UNITS.ex, 'expire')),
  pexpire: write(-3, expire(TIME_UNITS.px, 'pexpire')),
  expireat: write(-3, expire(TIME_UNITS.exat, 'expireat')),
  pexpireat: write(-3, expire(TIME_UNITS.pxat, 'pexpireat')),
  ttl: read(2, timeLeft(1000)),
  pttl: read(2, timeLeft(1)),
  expiretime: read(2, expiryTime(1000)),
  pexpiretime: read(2, expiryTime(1)),
  persist: write(2, ({ database }, [, key]) => {
    if (database.expiryOf(key) === undefined) return 0;
    database.setExpiry(key, undefined);
    database.changed(key, 'persist', 'g');
    return 1;
  }),
};
