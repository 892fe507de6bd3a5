/**
 * A day in the life of a BullMQ queue: jobs, retries, delays, a rate limit, a worker that dies.
 */

import { type ConnectionOptions, type Job, Queue, QueueEvents, Worker } from 'bullmq';

export interface JobResults {
  readonly results: unknown[];
  /** How often each job was tried, by name. */
  readonly tries: Record<string, number>;
  /** When the jobs of the rate limit were done, in milliseconds since the first. */
  readonly limited: number[];
  /** What the second worker made of the job on which the first one died. */
  readonly rescued: unknown;
}

export async function runJobs(port: number, late: number, lock: number): Promise<JobResults> {
  const connection: ConnectionOptions = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const queue = quiet(new Queue('work', { connection }));
  const events = quiet(new QueueEvents('work', { connection }));
  await events.waitUntilReady();
  const tries: Record<string, number> = {};
  const work = async (job: Job<{ x: number }>): Promise<number> => {
    tries[job.name] = (tries[job.name] ?? 0) + 1;
    if (job.name === 'flaky' && tries['flaky'] < 3) throw new Error('again');
    return job.data.x * 2;
  };
  const worker = quiet(new Worker('work', work, { connection }));
  const jobs = [
    await queue.add('plain', { x: 1 }),
    await queue.add('flaky', { x: 2 }, { attempts: 3, backoff: { type: 'exponential', delay: 5 } }),
    await queue.add('late', { x: 3 }, { delay: late }),
    await queue.add('urgent', { x: 4 }, { priority: 1 }),
  ];
  const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
  await worker.close();

  const limited = await runLimited(connection);
  const rescued = await runStalled(connection, lock);
  await events.close();
  await queue.close();
  return { results, tries, limited, rescued };
}

/** A reply may take so long that a client connects anew; BullMQ would print that. */
function quiet<T extends Queue | QueueEvents | Worker>(one: T): T {
  (one as Queue).on('error', () => {});
  return one;
}

/** Two jobs per 50 ms, of five. */
async function runLimited(connection: ConnectionOptions): Promise<number[]> {
  const queue = quiet(new Queue('limited', { connection }));
  const times: number[] = [];
  const worker = quiet(
    new Worker('limited', async () => times.push(Date.now()), {
      connection,
      limiter: { max: 2, duration: 50 },
    }),
  );
  const done = new Promise<void>((resolve) => {
    worker.on('completed', () => times.length === 5 && resolve());
  });
  await queue.addBulk(Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, data: {} })));
  await done;
  await worker.close();
  await queue.close();
  return times.map((time) => time - times[0]);
}

/** A worker takes a job and is never heard of again; when its lock is over, another gets the job. */
async function runStalled(connection: ConnectionOptions, lock: number): Promise<unknown> {
  const queue = quiet(new Queue('stalled', { connection }));
  const lost = quiet(
    new Worker('stalled', () => new Promise(() => {}), {
      connection,
      lockDuration: lock,
      skipLockRenewal: true,
      skipStalledCheck: true,
    }),
  );
  const taken = new Promise((resolve) => lost.once('active', resolve));
  await queue.add('job', {});
  await taken;
  await lost.close(true);
  const heir = quiet(
    new Worker('stalled', async () => 'done by the heir', {
      connection,
      stalledInterval: lock,
    }),
  );
  const rescued = await new Promise((resolve) => {
    heir.on('completed', (_job, result) => resolve(result));
  });
  await heir.close();
  await queue.close();
  return rescued;
}
