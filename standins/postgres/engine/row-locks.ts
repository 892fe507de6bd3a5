/**
 * Locks on rows, and what to do with a row that somebody else changes at the same time.
 *
 * At READ COMMITTED one waits for the other transaction and goes on with the newest version, whose
 * conditions the caller has to check again. With a snapshot for the whole transaction a change that
 * it does not see is an error (40001).
 */

import { SqlError } from '../errors.js';
import type { RowLock, RowLockMode, Tuple } from './table.js';
import type { Snapshot, Transaction } from './transaction.js';
import type { Backend, Steps } from './wait.js';

const MODES: readonly RowLockMode[] = ['key share', 'share', 'no key update', 'update'];

/** Table 13.3 of the manual: by the sum of the two ranks, but for two shares. */
function conflict(a: RowLockMode, b: RowLockMode): boolean {
  const [low, high] = [MODES.indexOf(a), MODES.indexOf(b)].sort((x, y) => x - y) as [
    number,
    number,
  ];
  if (low === 0) return high === 3;
  return low === 1 ? high >= 2 : true;
}

export type WaitPolicy = 'wait' | 'nowait' | 'skip';

/** The version that was locked, and whether it is another one than was asked for. */
export interface Locked {
  readonly tuple: Tuple;
  readonly changed: boolean;
}

function othersLocks(tuple: Tuple, mode: RowLockMode, me: Transaction): RowLock[] {
  const { row } = tuple;
  if (row.locks.some((lock) => !lock.xact.isActive)) {
    row.locks = row.locks.filter((lock) => lock.xact.isActive);
  }
  return row.locks.filter((lock) => lock.xact.transaction !== me && conflict(lock.mode, mode));
}

function backends(locks: readonly RowLock[]): Backend[] {
  return [...new Set(locks.map((lock) => lock.xact.transaction.backend))];
}

function concurrent(kind: 'update' | 'delete'): SqlError {
  return new SqlError('40001', `could not serialize access due to concurrent ${kind}`);
}

/** @returns undefined where there is no row any more, or where it is skipped */
export function* lockRow(
  start: Tuple,
  mode: RowLockMode,
  snapshot: Snapshot,
  policy: WaitPolicy = 'wait',
  doing = 'locking',
): Steps<Locked | undefined> {
  const me = snapshot.transaction;
  let tuple = start;
  for (;;) {
    const others = othersLocks(tuple, mode, me);
    if (others.length > 0) {
      if (policy === 'skip') return undefined;
      if (policy === 'nowait') {
        const name = tuple.table.name;
        throw new SqlError('55P03', `could not obtain lock on row in relation "${name}"`);
      }
      const looked = tuple;
      yield {
        ready: () => othersLocks(looked, mode, me).length === 0,
        blockers: () => backends(othersLocks(looked, mode, me)),
        what: `ShareLock on transaction ${others[0]!.xact.transaction.id}`,
        where: `while ${doing} tuple (0,${tuple.place}) in relation "${tuple.table.name}"`,
      };
      continue;
    }
    const { xmax } = tuple;
    if (xmax !== undefined && !xmax.isAborted && !(xmax.isActive && xmax.transaction !== me)) {
      // It was changed by the same command before.
      if (xmax.transaction === me && tuple.cmax >= snapshot.command) return undefined;
      if (me.isWholeSnapshot && xmax.transaction !== me) {
        throw concurrent(tuple.next === undefined ? 'delete' : 'update');
      }
      if (tuple.next === undefined) return undefined;
      tuple = tuple.next;
      continue;
    }
    holdRow(tuple, mode, me);
    return { tuple, changed: tuple !== start };
  }
}

export function holdRow(tuple: Tuple, mode: RowLockMode, me: Transaction): void {
  const xact = me.current;
  const { locks } = tuple.row;
  if (!locks.some((lock) => lock.xact === xact && lock.mode === mode)) locks.push({ xact, mode });
}
