/**
 * The thread pool of libuv: operations on files, zlib, crypto and `dns.lookup` take turns on its
 * threads, in the order in which they were asked for.
 */

import type { Scheduler } from '../tasks/scheduler.js';
import type { Host } from './host.js';
import { Operation } from './operation.js';

/** As libuv has it, unless the environment says otherwise when the process starts. */
const THREADS = threadsOf(process.env.UV_THREADPOOL_SIZE);

export class ThreadPool {
  private busy = 0;
  private readonly waiting: Operation[] = [];

  constructor(_host: Host) {}

  /**
   * Begins an operation as soon as a thread is free.
   * @param type what async_hooks call it
   * @param least how long it takes at least on its thread, in nanoseconds
   */
  run(scheduler: Scheduler, type: string, least: number, complete: () => void): void {
    const operation = new Operation(scheduler, type, least, () => {
      this.next();
      complete();
    });
    if (this.busy === THREADS) {
      this.waiting.push(operation);
      return;
    }
    this.busy++;
    operation.begin();
  }

  private next(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.busy--;
    else next.begin();
  }
}

function threadsOf(size: string | undefined): number {
  const number = Number.parseInt(size ?? '4', 10);
  return Number.isNaN(number) ? 4 : Math.min(1024, Math.max(1, number));
}
