/**
 * Who woke whom: in which step a promise settled.
 *
 * While a trace is recorded, the engine tells of every promise that settles and of every job that
 * runs because of one. A promise that settles in a step was settled by that step; one that settles
 * in a job between steps, such as that of `Promise.all`, by whatever settled the promise that the
 * job reacts to. So every cause leads back to a step.
 */

import { promiseHooks } from 'node:v8';

/** That a promise settled. */
export interface Settlement {
  /** The step in which it did; undefined when none of them led to it. */
  readonly by: number | undefined;
  /** Virtual nanoseconds. */
  readonly at: number;
}

/** What is known of a promise. One record for all of it, since looking promises up costs. */
class Known implements Settlement {
  by: number | undefined = undefined;
  /** Negative while it has not settled. */
  at = -1;
  /** The promise that it reacts to, until it settles. */
  parent: Known | undefined = undefined;
}

export class Causes {
  /** The step that runs now; undefined between steps. */
  running: number | undefined;
  /** Outside a step: the step that led to the job that runs now. */
  private jobCause: number | undefined;
  private readonly promises = new WeakMap<object, Known>();
  private readonly stop: () => void;

  /** @param now the virtual time */
  constructor(now: () => number) {
    this.stop = promiseHooks.createHook({
      init: (promise, parent) => {
        if (parent !== undefined) this.known(promise).parent = this.known(parent);
      },
      before: (promise) => {
        this.running = undefined;
        this.jobCause = this.promises.get(promise)?.parent?.by;
      },
      after: () => {
        this.running = this.jobCause = undefined;
      },
      settled: (promise) => {
        const known = this.known(promise);
        known.by = this.current;
        known.at = now();
        // Or the last of a chain would keep all of it.
        known.parent = undefined;
      },
    }) as () => void;
  }

  private known(promise: object): Known {
    let known = this.promises.get(promise);
    if (known === undefined) this.promises.set(promise, (known = new Known()));
    return known;
  }

  /** The step to which what happens now is due. */
  get current(): number | undefined {
    return this.running ?? this.jobCause;
  }

  /** What happens until the returned function is called is none of the run. */
  pause(): () => void {
    const { running, jobCause } = this;
    return () => {
      this.running = running;
      this.jobCause = jobCause;
    };
  }

  settlementOf(operand: unknown): Settlement | undefined {
    if (typeof operand !== 'object' || operand === null) return undefined;
    const known = this.promises.get(operand);
    return known !== undefined && known.at >= 0 ? known : undefined;
  }

  /** Ends the recording. */
  close(): void {
    this.stop();
  }
}
