/**
 * Hands out trials to worker processes, and survives what happens to them.
 *
 * Each worker has a lane: a loop that takes the next job, has it done, and looks at the outcome.
 * Jobs are taken in trial order across all files, so that a sweep that is cut short has looked at
 * every file. A range whose worker was lost is given out again, trial by trial, to find the very
 * seed.
 */

import type { ProjectSetup } from '../project.js';
import type { Isolation } from '../values.js';
import { UserError } from '../errors.js';
import type { FileSweep, Range } from './file-sweep.js';
import type { FromWorker, Job, JobOf, JobResults, SeenFailure, WorkerError } from './protocol.js';
import { StackMapper } from '../../runtime/mocha/stack-mapper.js';
import { WorkerProcess, type Outcome } from './worker-process.js';

export interface CoordinatorOptions {
  readonly setup: ProjectSetup;
  readonly workers: number;
  /** How long a worker may say nothing before it is taken to be in an endless loop, in ms. */
  readonly silenceMs: number;
  /** Called whenever there is news. */
  onProgress(): void;
}

/** Loading a project, compiling it and its packages may take longer than any trial. */
const LOADING_FACTOR = 3;

/** Recording and minimizing is many runs between two signs of life. */
const INVESTIGATION_FACTOR = 6;

/** In this part of the time that a trial has, somebody looks where it is, and again in the next. */
const PATIENCE_SHARE = 3;

export class Coordinator {
  private readonly lanes: (WorkerProcess | undefined)[];
  private readonly extra = new Set<WorkerProcess>();
  private stopping = false;
  private closed = false;
  private busy = 0;
  private wake: (() => void)[] = [];

  constructor(private readonly options: CoordinatorOptions) {
    this.lanes = Array.from({ length: options.workers }, () => new WorkerProcess(options.setup));
  }

  // ---- exploring -------------------------------------------------------------------------------

  /** Runs all trials of all files, or as many as there is time for before `stop` is called. */
  async explore(files: readonly FileSweep[]): Promise<void> {
    await Promise.all(this.lanes.map((_, lane) => this.exploreInLane(lane, files)));
  }

  /** No new trials; those that run now are the last. */
  stop(): void {
    this.stopping = true;
    for (const worker of this.lanes) worker?.stop();
    this.wakeAll();
  }

  private async exploreInLane(lane: number, files: readonly FileSweep[]): Promise<void> {
    while (!this.stopping && !this.closed) {
      const work = this.nextWork(files);
      if (work !== undefined) {
        this.busy++;
        await work(lane);
        this.busy--;
        this.wakeAll();
        this.options.onProgress();
      } else if (this.busy > 0) {
        await new Promise<void>((resolve) => this.wake.push(resolve));
      } else return;
    }
  }

  private wakeAll(): void {
    for (const resume of this.wake.splice(0)) resume();
  }

  /** What to do next. Files are warmed up first, in order; then the lowest trial comes first. */
  private nextWork(files: readonly FileSweep[]): ((lane: number) => Promise<void>) | undefined {
    const cold = files.find((file) => file.state === 'new');
    if (cold !== undefined) {
      cold.state = 'warming';
      return (lane) => this.warmUp(lane, cold);
    }
    let first: FileSweep | undefined;
    for (const file of files) {
      if (file.waitingTrial < (first?.waitingTrial ?? Infinity)) first = file;
    }
    if (first === undefined) return undefined;
    const range = first.take(this.options.workers);
    return (lane) => this.runTrials(lane, first, range);
  }

  private async warmUp(lane: number, file: FileSweep): Promise<void> {
    let scope = '';
    const job = { kind: 'warm-up', file: file.file, isolate: file.isolate } as const;
    const silenceMs = this.options.silenceMs * LOADING_FACTOR;
    const outcome = await again(() =>
      this.run(lane, job, silenceMs, (message) => {
        if (message.type === 'scope') scope = message.title;
      }),
    );
    if (outcome.status === 'done') {
      const { result } = outcome;
      if (result.loadError !== undefined) {
        file.loadError = result.loadError;
        file.state = 'ended';
      } else if (!result.repeatable && file.isolate !== 'process') {
        file.restart(raise(file.isolate), 'a second run of the same trial went differently');
      } else file.addWarmUp(result);
    } else {
      file.addHang(this.lostTrial(outcome, 1, scope));
      file.state = 'ended';
    }
  }

  private async runTrials(lane: number, file: FileSweep, range: Range): Promise<void> {
    const { life } = file;
    let next = range.from;
    let scope = '';
    let flushedAt = performance.now();
    let loading = true;
    const outcome = await this.run(
      lane,
      file.job(range, file.silenceMs(this.options.silenceMs) / PATIENCE_SHARE),
      () => file.silenceMs(this.options.silenceMs) * (loading ? LOADING_FACTOR : 1),
      (message) => {
        loading = false;
        if (message.type === 'trial') scope = '';
        else if (message.type === 'scope') scope = message.title;
        else if (message.type === 'results' && file.life === life) {
          const now = performance.now();
          file.add(message.results, now - flushedAt);
          flushedAt = now;
          next = message.results.to + 1;
          this.options.onProgress();
        }
      },
    );
    if (file.life !== life) return;
    if (outcome.status === 'done') {
      if (outcome.result.mismatch) {
        file.restart(raise(file.isolate), 'the same trial went differently in another worker');
      } else if (outcome.result.covered !== undefined)
        file.covers(outcome.result.covered, next - 1);
      return;
    }
    if (!range.careful && file.search === undefined) return file.giveBack(next, range.to);
    file.addHang(this.lostTrial(outcome, next, scope));
    if (file.search === undefined) file.giveBack(next + 1, range.to);
    else file.covers([], next);
  }

  /** The failure of a trial that took its worker with it. */
  private lostTrial(
    outcome: Exclude<Outcome<unknown>, { status: 'done' }>,
    trial: number,
    title: string,
  ): SeenFailure {
    if (outcome.status !== 'silent') {
      const reason = 'reason' in outcome ? outcome.reason : outcome.error.message;
      const message = `The process that ran the test ended: ${reason}.`;
      const signature = `crash:${title}`;
      return { trial, title, kind: 'error', message, signature, stack: '', site: undefined };
    }
    const seconds = Math.round(outcome.silentMs / 1000);
    const message =
      `The test was still in one synchronous stretch of code after ${seconds} s: ` +
      'an endless loop.';
    const mapper = new StackMapper(this.options.setup.root);
    const stack = mapper.map(outcome.stack);
    const site = mapper.site(stack);
    return { trial, title, kind: 'hang', message, signature: `hang:${title}`, stack, site };
  }

  // ---- single jobs -----------------------------------------------------------------------------

  /** Does jobs on all lanes, and gives their outcomes in order: undefined for those not begun. */
  async runAll<K extends Job['kind']>(
    jobs: readonly JobOf<K>[],
    cancelled: () => boolean,
  ): Promise<(Outcome<JobResults[K]> | undefined)[]> {
    const outcomes: (Outcome<JobResults[K]> | undefined)[] = [];
    let next = 0;
    await Promise.all(
      this.lanes.map(async (_, lane) => {
        while (next < jobs.length && !this.closed && !cancelled()) {
          const index = next++;
          const silenceMs = this.options.silenceMs * INVESTIGATION_FACTOR;
          const attempt = () => this.run(lane, jobs[index], silenceMs);
          outcomes[index] = await again(attempt);
        }
      }),
    );
    return outcomes;
  }

  /** Does a job in a process that has done nothing before. */
  runFresh<K extends Job['kind']>(job: JobOf<K>): Promise<Outcome<JobResults[K]>> {
    return again(async () => {
      const worker = new WorkerProcess(this.options.setup);
      this.extra.add(worker);
      try {
        return await worker.run(job, () => this.options.silenceMs * LOADING_FACTOR);
      } finally {
        worker.kill();
        this.extra.delete(worker);
      }
    });
  }

  /** Ends all workers. */
  close(): void {
    this.closed = true;
    for (const worker of [...this.lanes, ...this.extra]) worker?.kill();
  }

  private async run<K extends Job['kind']>(
    lane: number,
    job: JobOf<K>,
    silenceMs: number | (() => number),
    listen?: (message: FromWorker) => void,
  ): Promise<Outcome<JobResults[K]>> {
    const limit = typeof silenceMs === 'number' ? () => silenceMs : silenceMs;
    // A process per trial: the lane's worker has done something before, unless it is new.
    if (job.isolate === 'process' && this.lanes[lane]?.fresh === false) this.retire(lane);
    const outcome = await again(() => this.workerOf(lane).run(job, limit, listen), 'unstarted');
    if (outcome.status !== 'done' || job.isolate === 'process') this.retire(lane);
    if (outcome.status === 'failed') throw errorOf(outcome.error);
    return outcome;
  }

  private workerOf(lane: number): WorkerProcess {
    const worker = this.lanes[lane];
    if (worker !== undefined && worker.alive) return worker;
    return (this.lanes[lane] = new WorkerProcess(this.options.setup));
  }

  private retire(lane: number): void {
    this.lanes[lane]?.kill();
    this.lanes[lane] = undefined;
  }
}

/**
 * Does something once more when the process that did it was lost: what ends one process from
 * outside, such as the system when memory runs out, does not end the next.
 */
async function again<T>(
  attempt: () => Promise<Outcome<T>>,
  lost: 'died' | 'unstarted' = 'died',
): Promise<Outcome<T>> {
  const outcome = await attempt();
  const gone = outcome.status === 'unstarted' || outcome.status === lost;
  const last = gone ? await attempt() : outcome;
  if (last.status !== 'unstarted') return last;
  throw Object.assign(new Error('a worker process did not start'), { stack: last.reason });
}

function raise(isolate: Isolation): Isolation {
  return isolate === 'modules' ? 'all' : 'process';
}

function errorOf({ user, message, stack }: WorkerError): Error {
  return user ? new UserError(message) : Object.assign(new Error(message), { stack });
}
