/**
 * A lane on this machine: one worker process at a time, replaced when it is lost.
 */

import type { ProjectSetup } from '../project.js';
import type { Lane, Listener, Outcome, Silence } from './lane.js';
import type { Job, JobOf, JobResults } from './protocol.js';
import { WorkerProcess } from './worker-process.js';

export class LocalLane implements Lane {
  private worker: WorkerProcess | undefined;

  /**
   * Starts a process at once, which loads mocha while the project is compiled; one that waits, for
   * its first job.
   */
  constructor(
    private readonly setup: ProjectSetup,
    readonly waits?: () => boolean,
  ) {
    if (waits === undefined) this.worker = new WorkerProcess(setup);
  }

  async run<K extends Job['kind']>(
    job: JobOf<K>,
    silenceMs: Silence,
    listen?: Listener,
  ): Promise<Outcome<JobResults[K]>> {
    // A process per trial: the lane's worker has done something before, unless it is new.
    if (job.isolate === 'process' && this.worker?.fresh === false) this.close();
    let outcome = await this.process().run(job, silenceMs, listen);
    // What ends one process from outside as it starts does not end the next.
    if (outcome.status === 'unstarted') {
      this.close();
      outcome = await this.process().run(job, silenceMs, listen);
    }
    if (outcome.status !== 'done' || job.isolate === 'process') this.close();
    return outcome;
  }

  stop(): void {
    this.worker?.stop();
  }

  close(): void {
    this.worker?.kill();
    this.worker = undefined;
  }

  private process(): WorkerProcess {
    if (this.worker === undefined || !this.worker.alive) {
      this.worker = new WorkerProcess(this.setup);
    }
    return this.worker;
  }
}
