/**
 * Runs jobs, not more of them at a time than the limit allows; those that find no room wait in
 * line. Operations can change the limit while the pool runs, so it is asked for before each start.
 */

import type { TokenBudget } from './token';

export type Job<T> = () => Promise<T>;

export interface PoolOptions {
  readonly budget: TokenBudget;
  /** How many jobs may run at a time, from the configuration service. */
  readonly limit: () => Promise<number>;
}

export class WorkerPool {
  #running = 0;
  readonly #line: (() => Promise<void>)[] = [];

  constructor(private readonly options: PoolOptions) {}

  get running(): number {
    return this.#running;
  }

  /** Runs a job as soon as there is room for it, and gives its result. */
  run<T>(job: Job<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#line.push(() => this.#perform(job).then(resolve, reject));
      this.#startWaiting().catch(reject);
    });
  }

  async #startWaiting(): Promise<void> {
    while (this.#line.length > 0 && this.#running < (await this.options.limit())) {
      const start = this.#line.shift();
      if (start === undefined) return;
      this.#running++;
      void start();
    }
  }

  async #perform<T>(job: Job<T>): Promise<T> {
    try {
      const result = await job();
      await this.options.budget.spend();
      return result;
    } finally {
      this.#running--;
      void this.#startWaiting();
    }
  }
}
