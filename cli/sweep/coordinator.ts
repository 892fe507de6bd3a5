/**
 * Hands out trials to lanes, and survives what happens to the processes behind them.
 *
 * Each lane has a loop that takes the next job, has it done, and looks at the outcome. Jobs are
 * taken in trial order across all files, so that a sweep that is cut short has looked at every
 * file. A range whose process was lost is given out again, trial by trial, to find the very seed.
 */

import type { ProjectSetup } from '../project.js';
import type { Isolation } from '../values.js';
import type { FileSweep, Range } from './file-sweep.js';
import { throwErrors, type Lane, type Outcome } from './lane.js';
import { LocalLane } from './local-lane.js';
import type { Job, JobOf, JobResults, SeenFailure } from './protocol.js';
import { StackMapper } from '../../runtime/mocha/stack-mapper.js';

export interface CoordinatorOptions {
  readonly setup: ProjectSetup;
  readonly lanes: readonly Lane[];
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
  private readonly lanes: readonly Lane[];
  private readonly extra = new Set<Lane>();
  private stopping = false;
  private closed = false;
  private busy = 0;
  private wake: (() => void)[] = [];

  constructor(private readonly options: CoordinatorOptions) {
    this.lanes = options.lanes;
  }

  // ---- exploring -------------------------------------------------------------------------------

  /** Runs all trials of all files, or as many as there is time for before `stop` is called. */
  async explore(files: readonly FileSweep[]): Promise<void> {
    await Promise.all(this.lanes.map((lane) => this.exploreInLane(lane, files)));
  }

  /** No new trials; those that run now are the last. */
  stop(): void {
    this.stopping = true;
    for (const lane of this.lanes) lane.stop();
    this.wakeAll();
  }

  private async exploreInLane(lane: Lane, files: readonly FileSweep[]): Promise<void> {
    while (!this.stopping && !this.closed) {
      const work = lane.waits?.() === true ? undefined : this.nextWork(files);
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
  private nextWork(files: readonly FileSweep[]): ((lane: Lane) => Promise<void>) | undefined {
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
    const range = first.take(this.lanes.length);
    return (lane) => this.runTrials(lane, first, range);
  }

  private async warmUp(lane: Lane, file: FileSweep): Promise<void> {
    let scope = '';
    const job = { kind: 'warm-up', file: file.file, isolate: file.isolate } as const;
    const silenceMs = this.options.silenceMs * LOADING_FACTOR;
    const outcome = await again(() =>
      lane.run(
        job,
        () => silenceMs,
        (message) => {
          if (message.type === 'scope') scope = message.title;
        },
      ),
    );
    if (outcome.status === 'cancelled') return;
    if (outcome.status === 'done') {
      const { result } = outcome;
      if (result.loadError !== undefined) {
        file.loadError = result.loadError;
        file.state = 'ended';
      } else if (!result.repeatable && file.isolate !== 'process') {
        const { difference } = result;
        const where = difference === undefined ? '' : ` (at first ${difference})`;
        file.restart(
          raise(file.isolate),
          `a second run of the same trial went differently${where}`,
        );
      } else file.addWarmUp(result);
    } else {
      file.addHang(this.lostTrial(outcome, 1, scope));
      file.state = 'ended';
    }
  }

  private async runTrials(lane: Lane, file: FileSweep, range: Range): Promise<void> {
    const { life } = file;
    let next = range.from;
    let scope = '';
    let flushedAt = performance.now();
    const silenceMs = (loading: boolean): number =>
      file.silenceMs(this.options.silenceMs) * (loading ? LOADING_FACTOR : 1);
    const ran = await lane.run(
      file.job(range, file.silenceMs(this.options.silenceMs) / PATIENCE_SHARE),
      silenceMs,
      (message) => {
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
    const outcome = throwErrors(ran);
    if (file.life !== life || outcome.status === 'cancelled') return;
    if (outcome.status === 'done') {
      if (outcome.result.mismatch) {
        file.restart(raise(file.isolate), 'the same trial went differently in another worker');
      } else if (outcome.result.covered !== undefined)
        file.searched(range, outcome.result, next - 1);
      return;
    }
    if (!range.careful && file.search === undefined) return file.giveBack(next, range.to);
    file.addHang(this.lostTrial(outcome, next, scope));
    if (file.search === undefined) file.giveBack(next + 1, range.to);
    else file.covers([], next);
  }

  /** The failure of a trial that took its worker with it. */
  private lostTrial(
    outcome: Exclude<Outcome<unknown>, { status: 'done' | 'cancelled' }>,
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
      this.lanes.map(async (lane) => {
        while (next < jobs.length && !this.closed && !cancelled()) {
          const index = next++;
          const silenceMs = this.options.silenceMs * INVESTIGATION_FACTOR;
          const attempt = () => lane.run(jobs[index], () => silenceMs);
          outcomes[index] = await again(attempt);
        }
      }),
    );
    return outcomes;
  }

  /** Does a job on this machine, in a process that has done nothing before. */
  runFresh<K extends Job['kind']>(job: JobOf<K>): Promise<Outcome<JobResults[K]>> {
    return again(async () => {
      const lane = new LocalLane(this.options.setup);
      this.extra.add(lane);
      try {
        return await lane.run(job, () => this.options.silenceMs * LOADING_FACTOR);
      } finally {
        lane.close();
        this.extra.delete(lane);
      }
    });
  }

  /** Ends all lanes. */
  close(): void {
    this.closed = true;
    for (const lane of [...this.lanes, ...this.extra]) lane.close();
  }
}

/**
 * Does something once more when the process that did it was lost: what ends one process from
 * outside, such as the system when memory runs out, does not end the next.
 */
async function again<T>(attempt: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const outcome = await attempt();
  return throwErrors(outcome.status === 'died' ? await attempt() : outcome);
}

function raise(isolate: Isolation): Isolation {
  return isolate === 'modules' ? 'all' : 'process';
}
