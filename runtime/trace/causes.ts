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

export class Causes {
  /** The step that runs now; undefined between steps. */
  running: number | undefined;
  /** Outside a step: the step that led to the job that runs now. */
  private jobCause: number | undefined;
  private readonly parents = new WeakMap<object, object>();
  private readonly settlements = new WeakMap<object, Settlement>();
  private readonly stop: () => void;

  /** @param now the virtual time */
  constructor(now: () => number) {
    this.stop = promiseHooks.createHook({
      init: (promise, parent) => {
        if (parent !== undefined) this.parents.set(promise, parent);
      },
      before: (promise) => {
        this.running = undefined;
        const parent = this.parents.get(promise);
        this.jobCause = parent && this.settlements.get(parent)?.by;
      },
      after: () => {
        this.running = this.jobCause = undefined;
      },
      settled: (promise) => {
        this.settlements.set(promise, { by: this.current, at: now() });
      },
    }) as () => void;
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
    return typeof operand === 'object' && operand !== null
      ? this.settlements.get(operand)
      : undefined;
  }

  /** Ends the recording. */
  close(): void {
    this.stop();
  }
}
