/**
 * A lane that leads to the queue: a worker on some machine does its jobs.
 */

import type { Lane, Listener, Outcome, Silence } from '../sweep/lane.js';
import type { Job, JobOf, JobResults } from '../sweep/protocol.js';
import type { BatchResult } from './batch.js';
import type { SweepQueue } from './sweep-queue.js';

export class QueueLane implements Lane {
  private cancel: (() => void) | undefined;

  constructor(private readonly queue: SweepQueue) {}

  async run<K extends Job['kind']>(
    job: JobOf<K>,
    silenceMs: Silence,
    listen: Listener = () => undefined,
  ): Promise<Outcome<JobResults[K]>> {
    const { name, result } = this.queue.do(job, [silenceMs(true), silenceMs(false)]);
    const cancelled = new Promise<undefined>((resolve) => {
      this.cancel = () => resolve(undefined);
    });
    const done: BatchResult | undefined = await Promise.race([result, cancelled]);
    this.cancel = undefined;
    if (done === undefined) {
      this.queue.forget(name);
      return { status: 'cancelled' };
    }
    for (const results of done.results) listen({ type: 'results', results });
    listen({ type: 'scope', title: done.scope });
    return done.outcome as Outcome<JobResults[K]>;
  }

  /** Whoever has the batch goes on with it: nobody waits for it any more. */
  stop(): void {
    this.cancel?.();
  }

  close(): void {
    this.cancel?.();
  }
}
