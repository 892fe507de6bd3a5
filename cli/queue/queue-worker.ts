/**
 * The worker's side of the queue: takes batches, has them done by processes of this machine, and
 * stores what came of them.
 *
 * It holds a lock on each batch and renews it; when it is killed, the locks run out, and BullMQ
 * hands the batches to other workers. The trials run in child processes, so that code under test
 * that never yields does not keep the locks from being renewed.
 */

import path from 'node:path';
import { deserialize } from 'node:v8';
import type { Job as QueueJob, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { StackMapper } from '../../runtime/mocha/stack-mapper.js';
import type { Profile } from '../../runtime/explore/profile.js';
import type { ProjectSetup } from '../project.js';
import type { Lane, Outcome } from '../sweep/lane.js';
import { LocalLane } from '../sweep/local-lane.js';
import type { Job, SearchPart, TrialsJob } from '../sweep/protocol.js';
import { BatchMessages, packResult, type BatchData } from './batch.js';
import type { QueuePackages } from './packages.js';
import { sweepId, type SharedSweep } from './shared-sweep.js';
import { QUEUE_PREFIX, queueName, type SweepStore } from './store.js';

/** A worker that was killed is noticed after the sum of both at most, in ms. */
const LOCK_MS = 3_000;
const STALLED_EVERY_MS = 2_000;

/** A batch whose worker was lost so often is given up. */
const MOST_LOST = 20;

/** How long an idle worker's question for a job stays open, in seconds. */
const ASK_S = 2;

export class QueueWorker {
  batches = 0;
  trials = 0;
  private readonly id: string;
  private readonly idle: Lane[];
  private readonly all: readonly Lane[];
  private readonly worker: Worker<BatchData>;
  private readonly profiles = new Map<string, Profile>();

  constructor(
    packages: QueuePackages,
    connection: Redis,
    private readonly store: SweepStore,
    sweep: SharedSweep,
    private readonly setup: ProjectSetup,
    count: number,
  ) {
    this.id = sweepId(sweep);
    this.all = Array.from({ length: count }, () => new LocalLane(setup));
    this.idle = [...this.all];
    this.worker = new packages.bullmq.Worker<BatchData>(queueName(sweep), (job) => this.do(job), {
      connection,
      prefix: QUEUE_PREFIX,
      concurrency: count,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_EVERY_MS,
      maxStalledCount: MOST_LOST,
      drainDelay: ASK_S,
      removeOnComplete: { count: 0 },
    });
    this.worker.on('error', () => undefined);
  }

  /** Ends after the batches that run now. */
  async close(): Promise<void> {
    await this.worker.close();
    for (const lane of this.all) lane.close();
  }

  private async do(queued: QueueJob<BatchData>): Promise<void> {
    const { data } = queued;
    const [loading, later] = data.silenceMs;
    const file = path.join(this.setup.root, data.job.file);
    const profile = data.profile === undefined ? {} : { profile: await this.profile(data.profile) };
    const part = data.known === undefined ? {} : { part: await this.part(data) };
    const job = { ...data.job, file, ...profile, ...part } as Job;
    const lane = this.idle.pop()!;
    const messages = new BatchMessages();
    try {
      const outcome = await lane.run(job, (first) => (first ? loading : later), messages.listen);
      const { results, scope } = messages;
      const record = packResult(this.setup.root, { results, scope, outcome: this.mapped(outcome) });
      if (!(await this.store.addResult(this.id, { batch: queued.id!, record }))) return;
      this.batches++;
      for (const { from, to } of results) this.trials += to - from + 1;
    } finally {
      this.idle.push(lane);
    }
  }

  private async profile(name: string): Promise<Profile> {
    let profile = this.profiles.get(name);
    if (profile === undefined) {
      profile = deserialize(await this.shared(name)) as Profile;
      this.profiles.set(name, profile);
    }
    return profile;
  }

  private async part({ job, known }: BatchData): Promise<SearchPart> {
    return { ...(job as TrialsJob).part!, known: await this.shared(known!) };
  }

  private async shared(name: string): Promise<Buffer> {
    const stored = await this.store.shared(this.id, name);
    if (stored === undefined) throw new Error(`"${name}" is not in Redis`);
    return stored;
  }

  /** Positions in the overlay mean something on this machine only. */
  private mapped(outcome: Outcome<unknown>): Outcome<unknown> {
    if (outcome.status !== 'silent') return outcome;
    return { ...outcome, stack: new StackMapper(this.setup.root).map(outcome.stack) };
  }
}
