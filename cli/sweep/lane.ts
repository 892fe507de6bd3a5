/**
 * Where the jobs of a sweep are done: a lane takes one job at a time and answers with its outcome.
 *
 * There are two kinds: a process of this machine, and a place in a queue that workers on any
 * machine take jobs from. What comes of a job does not depend on the lane.
 */

import { UserError } from '../errors.js';
import type { FromWorker, Job, JobOf, JobResults, WorkerError } from './protocol.js';

export type Outcome<T> =
  | { readonly status: 'done'; readonly result: T }
  | { readonly status: 'failed'; readonly error: WorkerError }
  /** Silent for too long, and killed; with the stack at which it was, if that is known. */
  | { readonly status: 'silent'; readonly silentMs: number; readonly stack: string }
  | { readonly status: 'died'; readonly reason: string }
  /** Ended before its code was loaded; the reason is all that it has said. */
  | { readonly status: 'unstarted'; readonly reason: string }
  /** Told to stop before anybody had taken the job. */
  | { readonly status: 'cancelled' };

/** How long the process of a job may say nothing, in ms: while it loads, and later. */
export type Silence = (loading: boolean) => number;

export type Listener = (message: FromWorker) => void;

export interface Lane {
  /** Whether it takes no trials yet: what it needs for them is in use. */
  waits?(): boolean;
  /** Does one job; `listen` is told what its process says on the way. */
  run<K extends Job['kind']>(
    job: JobOf<K>,
    silenceMs: Silence,
    listen?: Listener,
  ): Promise<Outcome<JobResults[K]>>;
  /** Asks the running job to end early. */
  stop(): void;
  /** Ends whatever runs. */
  close(): void;
}

/**
 * The result of a job.
 * @throws UserError or Error with what the worker has thrown, or why there is no worker
 */
export function throwErrors<T>(outcome: Outcome<T>): Outcome<T> {
  if (outcome.status === 'unstarted') {
    throw Object.assign(new Error('a worker process did not start'), { stack: outcome.reason });
  }
  if (outcome.status !== 'failed') return outcome;
  const { user, message, stack } = outcome.error;
  throw user ? new UserError(message) : Object.assign(new Error(message), { stack });
}
