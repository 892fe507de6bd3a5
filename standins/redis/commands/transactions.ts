/**
 * MULTI, EXEC, DISCARD, WATCH, UNWATCH.
 */

import { unwatch } from '../engine.js';
import { ErrorReply, fail, NULL_ARRAY, OK, type Reply } from '../reply.js';
import type { Session } from '../session.js';
import { admin, ALL_KEYS, type CommandTable } from './command.js';
import { commandOf } from './index.js';

/** Ends a transaction, and what it watches. */
export function endTransaction(session: Session): void {
  session.transaction.queue = undefined;
  session.transaction.failed = false;
  unwatch(session);
}

function exec(session: Session): Reply {
  const { queue, failed } = session.transaction;
  if (queue === undefined) return fail('ERR EXEC without MULTI');
  const { engine } = session.database;
  for (const { database, key } of session.transaction.watched) {
    // It may have expired since, and nobody has noticed.
    database.has(key);
  }
  const { spoilt } = session.transaction;
  endTransaction(session);
  if (failed) {
    return new ErrorReply('EXECABORT Transaction discarded because of previous errors.');
  }
  if (spoilt) return NULL_ARRAY;
  session.mayBlock = false;
  const replies = queue.map((words) => engine.run(session, commandOf(words), words));
  session.mayBlock = true;
  return replies;
}

function watch(session: Session, keys: string[]): Reply {
  const { database, transaction } = session;
  if (transaction.queue !== undefined) return fail('ERR WATCH inside MULTI is not allowed');
  for (const key of keys) {
    const watchers = database.watchers.get(key) ?? new Set();
    if (watchers.has(session)) continue;
    // What is over by now is not there, and does not change later.
    database.has(key);
    database.watchers.set(key, watchers.add(session));
    transaction.watched.push({ database, key });
  }
  return OK;
}

export const transactions: CommandTable = {
  multi: admin(
    1,
    ({ transaction }) => {
      if (transaction.queue !== undefined) return fail('ERR MULTI calls can not be nested');
      transaction.queue = [];
      return OK;
    },
    'noscript',
  ),
  exec: admin(1, exec, 'noscript'),
  discard: admin(
    1,
    (session) => {
      if (session.transaction.queue === undefined) return fail('ERR DISCARD without MULTI');
      endTransaction(session);
      return OK;
    },
    'noscript',
  ),
  watch: {
    ...admin(-2, (session, [, ...keys]) => watch(session, keys), 'noscript'),
    keys: ALL_KEYS,
  },
  unwatch: admin(
    1,
    (session) => {
      unwatch(session);
      return OK;
    },
    'noscript',
  ),
};
