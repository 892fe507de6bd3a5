/**
 * 5,000 seeds of a Raft cluster that is cut in two, divided among workers: no term may have
 * two leaders at any of three moments, as in the original's test.
 */

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { electionSeed } from './raft.js';

/** What a worker is given: the seeds from `from` to `to`, the last not included. */
interface Share {
  readonly from: number;
  readonly to: number;
}

export interface SweepResult {
  readonly seeds: number;
  /** Messages that arrived, in all seeds together. */
  readonly deliveries: number;
  readonly milliseconds: number;
}

/** Runs the sweep, measured as a whole: workers are started and ended in it. */
export async function sweepRaft(
  from: number,
  seeds: number,
  workers: number,
): Promise<SweepResult> {
  const started = process.hrtime.bigint();
  const size = Math.ceil(seeds / workers);
  const shares = Array.from({ length: workers }, (_, i): Share => {
    const first = from + i * size;
    return { from: first, to: Math.min(first + size, from + seeds) };
  });
  const counts = await Promise.all(shares.map(runShare));
  const deliveries = counts.reduce((sum, count) => sum + count, 0);
  return { seeds, deliveries, milliseconds: Number(process.hrtime.bigint() - started) / 1e6 };
}

function runShare(share: Share): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: share });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

if (!isMainThread) {
  const { from, to } = workerData as Share;
  let deliveries = 0;
  for (let seed = from; seed < to; seed++) deliveries += electionSeed(seed);
  parentPort!.postMessage(deliveries);
}
