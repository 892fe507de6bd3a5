/**
 * Follows a sweep on a queue from outside: when which batch came in, and what Redis was asked for.
 *
 * Results come in by the stream that the coordinator reads; its entries are named by Redis with the
 * time at which they were added.
 */

import { Redis } from 'ioredis';
import { unpackResult } from '../../cli/queue/batch.js';

/** A moment of a sweep. */
export interface Mark {
  /** By the clock of Redis, in ms. */
  readonly at: number;
  readonly trials: number;
  readonly batches: number;
  /** Of Redis since it has started. */
  readonly commands: number;
  readonly memory: number;
  /** How long the workers were busy, in ms: see {@link busyMs}. */
  readonly busy: number;
}

export class QueueProgress {
  private readonly redis: Redis;
  /** Commands of this benchmark. */
  private own = 0;

  /** @param busy how long the workers were busy up to now, in ms */
  constructor(
    url: string,
    private readonly busy: () => number,
  ) {
    this.redis = new Redis(url);
  }

  close(): void {
    this.redis.disconnect();
  }

  /** The first batch with which a number of trials is done, and the last one. */
  async follow(from: number, trials: number): Promise<[first: Mark, last: Mark]> {
    const stream = `detsim:${await this.sweep()}:results`;
    let after = '0';
    let [done, batches] = [1, 0];
    let first: Mark | undefined;
    for (;;) {
      this.own++;
      const read = await this.redis.xreadBuffer('BLOCK', 1000, 'STREAMS', stream, after);
      for (const [id, fields] of read?.[0]?.[1] ?? []) {
        after = id.toString();
        // The first batch is trial 1 alone.
        for (const { from, to } of unpackResult('', fields[3]).results) done += to - from + 1;
        batches++;
        const at = Number(after.split('-')[0]);
        const mark = async (): Promise<Mark> => ({
          at,
          trials: done,
          batches,
          busy: this.busy(),
          ...(await this.asked()),
        });
        if (done >= from) first ??= await mark();
        if (done >= trials) return [first!, await mark()];
      }
    }
  }

  private async sweep(): Promise<string> {
    for (;;) {
      this.own++;
      const [id] = await this.redis.hkeys('detsim:sweeps');
      if (id !== undefined) return id;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private async asked(): Promise<Pick<Mark, 'commands' | 'memory'>> {
    this.own++;
    const info = await this.redis.info();
    const of = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
    return { commands: of('total_commands_processed') - this.own, memory: of('used_memory') };
  }
}
