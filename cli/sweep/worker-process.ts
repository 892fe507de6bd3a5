/**
 * A worker process as the coordinator sees it: one job at a time, and a watchdog.
 *
 * JavaScript that loops forever cannot be interrupted from within, so a worker that is silent for
 * too long is killed. A worker may also die by itself: out of memory, a crash of a native addon.
 * Both are outcomes of the job, not errors.
 */

import type { ChildProcess } from 'node:child_process';
import { stackIn } from '../worker/lookout.js';
import type { ProjectSetup } from '../project.js';
import type { Listener, Outcome, Silence } from './lane.js';
import type { FromWorker, Job, JobOf, JobResults, ToWorker } from './protocol.js';
import { entry, startProcess, takeSpare } from './spare.js';

/** How much of what a worker wrote to standard error is kept to explain its death. */
const STDERR_KEPT = 100_000;

export class WorkerProcess {
  private readonly child: ChildProcess;
  private stderr = '';
  private exited: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  private current: { listen: Listener; exit: () => void } | undefined;

  /** @param script the worker's entry file; tests bring one of their own */
  constructor(setup: ProjectSetup, script = entry) {
    this.child = (script === entry ? takeSpare() : undefined) ?? startProcess(script);
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_KEPT);
    });
    this.child.on('message', (message: FromWorker) => {
      if (message.type === 'ready') this.ready = true;
      this.current?.listen(message);
    });
    // A message to a worker that has just died is lost; its death is what counts.
    this.child.on('error', () => undefined);
    this.child.on('close', (code, signal) => {
      this.exited = { code, signal };
      this.current?.exit();
    });
    this.send({ type: 'setup', setup });
  }

  private ready = false;

  /** Whether it has not been given a job yet. */
  fresh = true;

  get alive(): boolean {
    return this.exited === undefined && !this.child.killed;
  }

  /**
   * Does one job.
   * @param silenceMs how long the worker may say nothing; a function because it may change
   */
  run<K extends Job['kind']>(
    job: JobOf<K>,
    silenceMs: Silence,
    listen: Listener = () => undefined,
  ): Promise<Outcome<JobResults[K]>> {
    this.fresh = false;
    return new Promise((resolve) => {
      let heardAt = performance.now();
      let loading = true;
      const finish = (outcome: Outcome<JobResults[K]>): void => {
        clearInterval(watchdog);
        this.current = undefined;
        resolve(outcome);
      };
      const watchdog = setInterval(() => {
        const silent = performance.now() - heardAt;
        if (silent <= silenceMs(loading)) return;
        this.kill();
        finish({ status: 'silent', silentMs: silent, stack: stackIn(this.stderr) });
      }, 100);
      this.current = {
        listen: (message) => {
          heardAt = performance.now();
          if (message.type !== 'ready') loading = false;
          if (message.type === 'done') {
            finish({ status: 'done', result: message.result as JobResults[K] });
          } else if (message.type === 'failed') finish({ status: 'failed', error: message.error });
          else listen(message);
        },
        exit: () => finish(this.death()),
      };
      if (this.exited !== undefined) this.current.exit();
      else this.send({ type: 'job', job });
    });
  }

  /** Asks the running job to end early. */
  stop(): void {
    this.send({ type: 'stop' });
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private send(message: ToWorker): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  /** A worker that ends before a test could run is no fault of the tests. */
  private death(): Outcome<never> {
    if (this.ready) return { status: 'died', reason: this.deathReason() };
    const reason = `a worker process did not start: ${this.deathReason()}\n${this.stderr.trim()}`;
    return { status: 'unstarted', reason };
  }

  private deathReason(): string {
    const { code, signal } = this.exited!;
    if (/heap out of memory|Allocation failed/.test(this.stderr)) return 'out of memory';
    const how = signal !== null ? `killed by ${signal}` : `exit status ${code}`;
    const said = /^(?:\w*Error\b.*|FATAL.*|Uncaught.*)$/m.exec(this.stderr)?.[0];
    return said === undefined ? how : `${how}: ${said}`;
  }
}
