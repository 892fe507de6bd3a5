/**
 * SET CONSTRAINTS: until the transaction ends, foreign keys that are deferrable wait for its end or
 * do so no longer. What waits already and is to be immediate from now on is checked at once.
 */

import type { Relation } from '../engine/database.js';
import type { Steps } from '../engine/wait.js';
import { SqlError } from '../errors.js';
import type { Session } from './session.js';

export function* setConstraints(statement: any, session: Session): Steps<void> {
  const transaction = session.current();
  const deferred = statement.deferred === true;
  const names = (statement.constraints ?? []).map((one: any) => one.RangeVar.relname as string);
  const chosen = names.length === 0 ? undefined : new Set<string>(names);
  if (chosen === undefined) {
    transaction.allDeferred = deferred;
    transaction.namedDeferred.clear();
  }
  for (const name of names) {
    checkDeferrable(name, session);
    transaction.namedDeferred.set(name, deferred);
  }
  if (deferred) return;
  const waiting = transaction.deferred;
  const isDue = (name: string): boolean => chosen === undefined || chosen.has(name);
  transaction.deferred = waiting.filter(({ constraint }) => !isDue(constraint));
  for (const { xact, constraint, check } of waiting) {
    if (isDue(constraint) && !xact.isAborted) yield* (check as () => Steps<void>)();
  }
}

function checkDeferrable(name: string, { db, transaction }: Session): void {
  const relations = db.all('relation', transaction).map(({ object }) => object as Relation);
  const found = relations.flatMap((one) => {
    if (one.kind !== 'table') return [];
    const { foreignKeys, indexes, checks } = one.object;
    const keys = indexes.filter((index) => index.constraint);
    return [...foreignKeys, ...keys, ...checks].filter((constraint) => constraint.name === name);
  });
  if (found.length === 0) throw new SqlError('42704', `constraint "${name}" does not exist`);
  if (!found.some((one) => 'deferrable' in one && one.deferrable))
    throw new SqlError('42809', `constraint "${name}" is not deferrable`);
}
