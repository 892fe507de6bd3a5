/**
 * A pool of workers: a queue of jobs, workers that take them from it, and a collector of results.
 * All of them wait at channels only.
 */

import { Channel, spawn, WaitGroup } from 'detsim';

export interface Result {
  readonly job: number;
  readonly square: number;
}

/** Does so many jobs with so many workers. Gives the results in the order they came in. */
export async function workerpool(jobs: number, workers: number): Promise<Result[]> {
  const queue = new Channel<number>(jobs);
  const results = new Channel<Result>(jobs);
  for (let job = 0; job < jobs; job++) await queue.send(job);
  queue.close();

  const working = new WaitGroup();
  for (let i = 0; i < workers; i++) {
    working.add();
    void spawn('worker', async () => {
      for await (const job of queue) await results.send({ job, square: job * job });
      working.done();
    });
  }

  const collected: Result[] = [];
  const collector = spawn('collector', async () => {
    for await (const result of results) collected.push(result);
  });
  await working.wait();
  results.close();
  await collector;
  return collected;
}
