/**
 * Locks on tables and advisory locks: PostgreSQL's eight modes, held by transactions or by
 * sessions, granted in the order in which they were asked for.
 */

import { SqlError } from '../errors.js';
import type { Transaction } from './transaction.js';
import type { Backend, Steps, Wait } from './wait.js';

/** In the order of lockdefs.h, so that a bit mask can say what conflicts. */
export const MODES = [
  'AccessShareLock',
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
] as const;

export type LockMode = (typeof MODES)[number];

/** For each mode the modes that it conflicts with, as in table 13.2 of the manual. */
const CONFLICTS: Record<LockMode, readonly number[]> = {
  AccessShareLock: [7],
  RowShareLock: [6, 7],
  RowExclusiveLock: [4, 5, 6, 7],
  ShareUpdateExclusiveLock: [3, 4, 5, 6, 7],
  ShareLock: [2, 3, 5, 6, 7],
  ShareRowExclusiveLock: [2, 3, 4, 5, 6, 7],
  ExclusiveLock: [1, 2, 3, 4, 5, 6, 7],
  AccessExclusiveLock: [0, 1, 2, 3, 4, 5, 6, 7],
};

const conflicts = (a: LockMode, b: LockMode) => CONFLICTS[a].includes(MODES.indexOf(b));

/** A transaction, or the session itself for what outlives transactions. */
export type LockOwner = Transaction | Backend;

const backendOf = (owner: LockOwner): Backend => ('backend' in owner ? owner.backend : owner);

interface Grant {
  readonly owner: LockOwner;
  readonly mode: LockMode;
}

export class Lock {
  readonly grants: Grant[] = [];
  readonly queue: Grant[] = [];

  constructor(readonly name: string) {}

  /** Whoever stands in the way of this request. */
  blockers(request: Grant): Backend[] {
    const own = backendOf(request.owner);
    const ahead = this.queue.slice(0, Math.max(0, this.queue.indexOf(request)));
    const holds = this.grants.some((grant) => backendOf(grant.owner) === own);
    // Who holds a lock already need not queue behind others that wait for it.
    return [...this.grants, ...(holds ? [] : ahead)]
      .filter((grant) => backendOf(grant.owner) !== own && conflicts(grant.mode, request.mode))
      .map((grant) => backendOf(grant.owner));
  }

  tryLock(owner: LockOwner, mode: LockMode): boolean {
    const request = { owner, mode };
    this.queue.push(request);
    const free = this.blockers(request).length === 0;
    this.queue.pop();
    if (free) this.grants.push(request);
    return free;
  }

  holds(owner: LockOwner, mode: LockMode): boolean {
    return this.grants.some((grant) => grant.owner === owner && grant.mode === mode);
  }

  *lock(owner: LockOwner, mode: LockMode): Steps<void> {
    if (this.tryLock(owner, mode)) return;
    const request = { owner, mode };
    this.queue.push(request);
    try {
      const wait: Wait = {
        ready: () => this.blockers(request).length === 0,
        blockers: () => this.blockers(request),
        what: `${mode} on ${this.name}`,
      };
      yield wait;
      this.grants.push(request);
    } finally {
      this.queue.splice(this.queue.indexOf(request), 1);
    }
  }

  /** @returns whether it was held */
  unlock(owner: LockOwner, mode: LockMode): boolean {
    const at = this.grants.findIndex((grant) => grant.owner === owner && grant.mode === mode);
    if (at >= 0) this.grants.splice(at, 1);
    return at >= 0;
  }

  unlockAll(owner: LockOwner): void {
    for (let i = this.grants.length - 1; i >= 0; i -= 1) {
      if (this.grants[i]!.owner === owner) this.grants.splice(i, 1);
    }
  }
}

export class LockTable {
  private readonly locks = new Map<string, Lock>();

  of(key: string, name = key): Lock {
    let lock = this.locks.get(key);
    if (lock === undefined) this.locks.set(key, (lock = new Lock(name)));
    return lock;
  }

  releaseAll(owner: LockOwner): void {
    for (const [key, lock] of this.locks) {
      lock.unlockAll(owner);
      if (lock.grants.length === 0 && lock.queue.length === 0) this.locks.delete(key);
    }
  }

  *acquire(
    key: string,
    name: string,
    owner: LockOwner,
    mode: LockMode,
    nowait = false,
  ): Steps<void> {
    const lock = this.of(key, name);
    if (lock.holds(owner, mode)) return;
    if (!nowait) return yield* lock.lock(owner, mode);
    if (!lock.tryLock(owner, mode)) throw lockNotAvailable(name);
  }
}

export function lockNotAvailable(name: string): SqlError {
  return new SqlError('55P03', `could not obtain lock on ${name}`);
}
