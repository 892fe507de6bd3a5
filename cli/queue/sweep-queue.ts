/**
 * The coordinator's side of the queue: posts batches, and hands their results to the lanes that
 * wait for them.
 *
 * A lane that asks for a batch gets the result that is in the stream already, or the batch is
 * posted. Posting is idempotent: BullMQ takes a job of one name once. So a coordinator that starts
 * again asks for what the last one asked for, and gets what has been done meanwhile. Now and then
 * it looks after batches that it has waited for long: a Redis that came back without its last
 * writes has lost them, and they are posted again.
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { serialize } from 'node:v8';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { UserError } from '../errors.js';
import type { Lane, Outcome } from '../sweep/lane.js';
import type { Job, TrialsJob } from '../sweep/protocol.js';
import type { FailingSeed, SeedStore } from '../sweep/seeds-file.js';
import {
  batchName,
  knownName,
  profileName,
  unpackResult,
  withoutKnown,
  type BatchData,
  type BatchResult,
} from './batch.js';
import { loadPackages } from './packages.js';
import { QueueLane } from './queue-lane.js';
import { portableSetup, sweepId, type SharedSweep } from './shared-sweep.js';
import { connect, LOST_AFTER_MS, QUEUE_PREFIX, queueName, SweepStore } from './store.js';
import type { ProjectSetup } from '../project.js';

const HEARTBEAT_MS = 1_000;

/** Batches that nobody has answered for so long are looked after; so many at a time. */
const LATE_MS = 3_000;
const LOOKED_AFTER = 200;

interface Waiting {
  readonly job: Job;
  readonly data: BatchData;
  readonly resolve: (result: BatchResult) => void;
  postedAt: number;
}

export interface QueueOptions {
  readonly url: string;
  readonly setup: ProjectSetup;
  /** The sweep; a setup and known seeds of its own are put in. */
  readonly sweep: Omit<SharedSweep, 'setup' | 'known'>;
  readonly seeds: SeedStore;
}

export class SweepQueue {
  private readonly waiting = new Map<string, Waiting>();
  /** Results that nobody has asked for yet, and the names of all that were read. */
  private readonly unclaimed = new Map<string, BatchResult>();
  private readonly read = new Set<string>();
  private readonly attempts = new Map<string, number>();
  private readonly shared = new Map<string, Promise<void>>();
  private readonly name = `${hostname()} ${process.pid} ${randomBytes(4).toString('hex')}`;
  private heartbeat: NodeJS.Timeout | undefined;
  private closed = false;

  private constructor(
    private readonly root: string,
    /** As it was when it began. */
    readonly sweep: SharedSweep,
    private readonly store: SweepStore,
    private readonly reader: SweepStore,
    private readonly queue: Queue<BatchData>,
    private readonly connections: readonly Redis[],
  ) {}

  /**
   * Begins a sweep, or goes on with it where another coordinator was lost.
   * @throws UserError when there is no Redis, or another coordinator is at it
   */
  static async open({ url, setup, sweep, seeds }: QueueOptions): Promise<SweepQueue> {
    const packages = loadPackages(setup.root);
    const connections = [
      await connect(packages, url),
      await connect(packages, url),
      await connect(packages, url),
    ];
    const store = new SweepStore(connections[0]);
    const known = union(seeds.read(), await store.seeds(sweep.project));
    const fresh = { ...sweep, setup: portableSetup(setup), known };
    const begun = (await store.sweep(sweepId(fresh))) ?? fresh;
    const queue = new packages.bullmq.Queue<BatchData>(queueName(begun), {
      connection: connections[1],
      prefix: QUEUE_PREFIX,
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', () => undefined);
    const reader = new SweepStore(connections[2]);
    const opened = new SweepQueue(setup.root, begun, store, reader, queue, connections);
    try {
      await opened.lead();
    } catch (error) {
      for (const connection of connections) connection.disconnect();
      throw error;
    }
    void opened.readResults();
    return opened;
  }

  get id(): string {
    return sweepId(this.sweep);
  }

  lanes(count: number): Lane[] {
    return Array.from({ length: count }, () => new QueueLane(this));
  }

  /** Has a batch done, by whichever worker takes it. @returns its name, and what comes of it */
  do(job: Job, silenceMs: BatchData['silenceMs']): { name: string; result: Promise<BatchResult> } {
    const once = batchName(this.root, job, 0);
    const attempt = (this.attempts.get(once) ?? 0) + 1;
    this.attempts.set(once, attempt);
    const name = batchName(this.root, job, attempt);
    const done = this.unclaimed.get(name);
    if (done !== undefined) {
      this.unclaimed.delete(name);
      return { name, result: Promise.resolve(done) };
    }
    const { profile, ...rest } = job;
    const data: BatchData = {
      job: {
        ...withoutKnown(rest as Job),
        file: profileName(job, this.root).slice(job.isolate.length + 1),
      } as Job,
      profile: profile && profileName(job, this.root),
      known: knownName(job, this.root),
      silenceMs,
    };
    const result = new Promise<BatchResult>((resolve) => {
      this.waiting.set(name, { job, data, resolve, postedAt: performance.now() });
    });
    // What the connection has lost is posted again when it is looked after.
    this.post(name, data, job).catch(() => undefined);
    return { name, result };
  }

  /** Nobody waits for a batch any more. */
  forget(name: string): void {
    this.waiting.delete(name);
  }

  /** @param finished whether the sweep is over, and its data of no more use */
  async close(finished: boolean): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.heartbeat);
    await this.store.leave(this.id, finished);
    if (finished) await this.queue.obliterate({ force: true });
    await this.queue.close();
    for (const connection of this.connections) connection.disconnect();
  }

  /** Keeps the seeds that failed for the next sweep of the project, on any machine. */
  keepSeeds(seeds: readonly FailingSeed[]): void {
    this.store.putSeeds(this.sweep.project, seeds).catch(() => undefined);
  }

  // ---- parts -----------------------------------------------------------------------------------

  private async post(name: string, data: BatchData, job: Job): Promise<void> {
    const { profile, known } = data;
    if (profile !== undefined) await this.share(profile, () => serialize(job.profile));
    if (known !== undefined) {
      await this.share(known, () => Buffer.from((job as TrialsJob).part!.known));
    }
    await this.add(name, data);
  }

  /** Stores what many batches have in common, once. */
  private share(name: string, data: () => Buffer): Promise<void> {
    let stored = this.shared.get(name);
    if (stored === undefined) {
      stored = this.store.share(this.id, name, data());
      this.shared.set(name, stored);
    }
    return stored;
  }

  private async add(name: string, data: BatchData): Promise<void> {
    await this.queue.add(data.job.kind, data, { jobId: name, removeOnComplete: true });
  }

  private async readResults(): Promise<void> {
    let after = '0';
    while (!this.closed) {
      try {
        const { last, results } = await this.reader.results(this.id, after);
        after = last;
        for (const { batch, record } of results) this.take(batch, unpackResult(this.root, record));
      } catch {
        // The connection is lost: it comes back, or the sweep is closed.
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  /** A batch counts once, even where Redis has forgotten that it was done. */
  private take(name: string, result: BatchResult): void {
    if (this.read.has(name)) return;
    this.read.add(name);
    const waiting = this.waiting.get(name);
    this.waiting.delete(name);
    if (waiting === undefined) this.unclaimed.set(name, result);
    else waiting.resolve(result);
  }

  /** Waits for the place of a coordinator that was lost, and keeps it from then on. */
  private async lead(): Promise<void> {
    let other = await this.store.lead(this.id, this.sweep, this.name);
    for (let i = 0; other !== '' && i <= LOST_AFTER_MS / HEARTBEAT_MS; i++) {
      const lost = isGone(other) ? other : '';
      if (lost === '') await new Promise((resolve) => setTimeout(resolve, HEARTBEAT_MS));
      other = await this.store.lead(this.id, this.sweep, this.name, lost);
    }
    if (other !== '') {
      const [host, pid] = other.split(' ');
      throw new UserError(
        `This very sweep is being run already, by process ${pid} on ${host}. Wait for its report, ` +
          'or end it; a sweep of other files or with other options may run beside it.',
      );
    }
    this.heartbeat = setInterval(() => void this.beat().catch(() => undefined), HEARTBEAT_MS);
  }

  private async beat(): Promise<void> {
    await this.store.lead(this.id, this.sweep, this.name);
    const late = [...this.waiting]
      .filter(([, { postedAt }]) => performance.now() - postedAt > LATE_MS)
      .slice(0, LOOKED_AFTER);
    await Promise.all(late.map(([name, waiting]) => this.lookAfter(name, waiting)));
  }

  private async lookAfter(name: string, waiting: Waiting): Promise<void> {
    waiting.postedAt = performance.now();
    const job = await this.queue.getJob(name);
    if (job === undefined) {
      if (await this.store.isDone(this.id, name)) return;
      // Redis may have lost what goes with it, too.
      this.shared.clear();
      await this.post(name, waiting.data, waiting.job);
    } else if (await job.isFailed()) {
      const outcome: Outcome<never> = { status: 'died', reason: job.failedReason };
      this.take(name, { results: [], scope: '', outcome });
    }
  }
}

/** Whether a coordinator was a process of this machine that is no more. */
function isGone(name: string): boolean {
  const [host, pid] = name.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function union(...lists: (readonly FailingSeed[])[]): FailingSeed[] {
  const all = lists
    .flat()
    .map(({ file, test, seed }) => [`${file}\n${test}\n${seed}`, { file, test, seed }] as const);
  return [...new Map(all).values()];
}
