/**
 * Waiting. A statement runs as a generator; where it has to wait for another session it yields a
 * `Wait`, and the engine goes on with it when that is over. Who waits is kept in the order in which
 * they began, so locks are handed over first come, first served.
 */

import { SqlError } from '../errors.js';

/** A session, as far as waiting concerns it. */
export interface Backend {
  readonly pid: number;
  waiting: Wait | undefined;
}

export interface Wait {
  /** Whether it is over. */
  ready(): boolean;
  /** The sessions that it waits for. */
  blockers(): Backend[];
  /** As in the detail of a deadlock error: `ShareLock on transaction 5`. */
  readonly what: string;
  /** Where the statement is, for the context of an error. */
  readonly where?: string;
  /** Set when it ends by itself after so many microseconds; then it is no lock. */
  readonly sleep?: number;
}

/** Something that runs until it has a result, and may have to wait on the way. */
export type Steps<T> = Generator<Wait, T, void>;

/** The cycle of waiting sessions that leads back to this one, or undefined. */
export function deadlockOf(start: Backend): Backend[] | undefined {
  const seen = new Set<Backend>();
  const path: Backend[] = [];
  const visit = (at: Backend): boolean => {
    path.push(at);
    for (const next of at.waiting?.blockers() ?? []) {
      if (next === start) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      if (visit(next)) return true;
    }
    path.pop();
    return false;
  };
  return visit(start) ? path : undefined;
}

export function deadlockError(cycle: readonly Backend[]): SqlError {
  const lines = cycle.map((backend, i) => {
    const blocker = cycle[(i + 1) % cycle.length]!.pid;
    const { what } = backend.waiting!;
    return `Process ${backend.pid} waits for ${what}; blocked by process ${blocker}.`;
  });
  return new SqlError('40P01', 'deadlock detected', {
    detail: lines.join('\n'),
    hint: 'See server log for query details.',
    where: cycle[0]!.waiting!.where,
  });
}

/** Runs what cannot wait here to its end. */
export function finish<T>(steps: Steps<T>, mayNotWait: () => SqlError): T {
  const step = steps.next();
  if (step.done) return step.value;
  throw mayNotWait();
}
