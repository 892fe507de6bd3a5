/**
 * What the machines of a sweep keep in Redis, beside the jobs of BullMQ.
 *
 * The results are a stream, which the coordinator reads from its beginning: one that starts again
 * comes to where the last one was. A batch is in it once, whoever has run it how often: that it is
 * done and its result are written by one script.
 */

import type { Redis } from 'ioredis';
import { UserError } from '../errors.js';
import type { FailingSeed } from '../sweep/seeds-file.js';
import type { QueuePackages } from './packages.js';
import { sweepId, type SharedSweep } from './shared-sweep.js';

/** How long the data of a sweep that nobody goes on with is kept, in seconds. */
const KEPT_S = 24 * 3600;

/** After so long without a sign of life a coordinator is lost, in ms. */
export const LOST_AFTER_MS = 5_000;

/** How long a Redis that does not answer is waited for at the start, in ms. */
const CONNECT_MS = 5_000;

/** Notes that a batch is done, and its result, unless it is done already. */
const ADD_RESULT = `
if redis.call('HSETNX', KEYS[1], ARGV[1], '') == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', 'batch', ARGV[1], 'record', ARGV[2])
return 1`;

/** Takes or keeps the place of the coordinator, unless another one has it. */
const LEAD = `
local other = redis.call('GET', KEYS[1])
if other and other ~= ARGV[1] and other ~= ARGV[3] then return other end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''`;

export interface StoredResult {
  readonly batch: string;
  readonly record: Buffer;
}

/** A connection to Redis that waits for it to come back, but not for it to be there at first. */
export async function connect({ Redis }: QueuePackages, url: string): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => (connected ? Math.min(50 * times, 1_000) : null),
  });
  let connected = false;
  let problem: Error | undefined;
  redis.on('error', (error: Error) => (problem = error));
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw new UserError(
      `There is no Redis at ${url}: ${(problem ?? (error as Error)).message}. ` +
        '--queue takes an address such as redis://host:6379; start a server there, or leave it out ' +
        'and the sweep runs on this machine.',
    );
  }
  connected = true;
  return redis;
}

export class SweepStore {
  constructor(readonly redis: Redis) {}

  // ---- sweeps ----------------------------------------------------------------------------------

  /** The sweeps of a project, by id. */
  async sweeps(project: string): Promise<Map<string, SharedSweep>> {
    const names = await this.redis.hgetall('detsim:sweeps');
    const ids = Object.keys(names).filter((id) => names[id] === project);
    const texts = await Promise.all(ids.map((id) => this.redis.get(key(id, 'sweep'))));
    const found = ids.flatMap((id, i) =>
      texts[i] ? [[id, JSON.parse(texts[i]) as SharedSweep] as const] : [],
    );
    return new Map(found);
  }

  async sweep(id: string): Promise<SharedSweep | undefined> {
    const text = await this.redis.get(key(id, 'sweep'));
    return text === null ? undefined : (JSON.parse(text) as SharedSweep);
  }

  /** Whether a sweep goes on, and whether it has a coordinator now. */
  async stateOf(id: string): Promise<{ readonly listed: boolean; readonly led: boolean }> {
    const [listed, led] = await Promise.all([
      this.redis.hexists('detsim:sweeps', id),
      this.redis.exists(key(id, 'coordinator')),
    ]);
    return { listed: listed === 1, led: led === 1 };
  }

  /**
   * Becomes or stays the coordinator of a sweep, and keeps its data alive.
   * @param lost the name of a coordinator that is known to be gone
   * @returns the name of another one that has this place; empty when there is none
   */
  async lead(id: string, sweep: SharedSweep, name: string, lost = ''): Promise<string> {
    const place = key(id, 'coordinator');
    const other = await this.redis.eval(LEAD, 1, place, name, LOST_AFTER_MS, lost);
    if (other !== '') return String(other);
    const batch = this.redis.pipeline();
    batch.hset('detsim:sweeps', id, sweep.project);
    batch.set(key(id, 'sweep'), JSON.stringify(sweep), 'EX', KEPT_S);
    for (const part of ['done', 'results', 'shared']) batch.expire(key(id, part), KEPT_S);
    await batch.exec();
    return '';
  }

  /** Gives up the place of the coordinator. @param finished whether the data is of no more use */
  async leave(id: string, finished: boolean): Promise<void> {
    await this.redis.del(key(id, 'coordinator'));
    if (!finished) return;
    await this.redis.hdel('detsim:sweeps', id);
    await this.redis.del(...['sweep', 'done', 'results', 'shared'].map((part) => key(id, part)));
  }

  // ---- results ---------------------------------------------------------------------------------

  /** @returns whether the batch was not done before */
  async addResult(id: string, { batch, record }: StoredResult): Promise<boolean> {
    const [done, results] = [key(id, 'done'), key(id, 'results')];
    return (await this.redis.eval(ADD_RESULT, 2, done, results, batch, record)) === 1;
  }

  async isDone(id: string, batch: string): Promise<boolean> {
    return (await this.redis.hexists(key(id, 'done'), batch)) === 1;
  }

  /** The results after a place in the stream, as many as there are; waits a while for the first. */
  async results(id: string, after: string): Promise<{ last: string; results: StoredResult[] }> {
    const read = await this.redis.xreadBuffer(
      ...(['COUNT', 200, 'BLOCK', 2_000, 'STREAMS', key(id, 'results'), after] as const),
    );
    const entries = read?.[0]?.[1] ?? [];
    const results = entries.map(([, fields]) => ({
      batch: fields[1].toString(),
      record: fields[3],
    }));
    return { last: entries.at(-1)?.[0].toString() ?? after, results };
  }

  // ---- what is shared, and seeds ---------------------------------------------------------------

  /** Keeps what many batches have in common. */
  async share(id: string, name: string, data: Buffer): Promise<void> {
    await this.redis.hset(key(id, 'shared'), name, data);
  }

  async shared(id: string, name: string): Promise<Buffer | undefined> {
    return (await this.redis.hgetBuffer(key(id, 'shared'), name)) ?? undefined;
  }

  /** Seeds of a project that have failed, whichever machine has seen it. */
  async seeds(project: string): Promise<FailingSeed[]> {
    const text = await this.redis.get(`detsim:seeds:${project}`);
    return text === null ? [] : (JSON.parse(text) as FailingSeed[]);
  }

  async putSeeds(project: string, seeds: readonly FailingSeed[]): Promise<void> {
    await this.redis.set(`detsim:seeds:${project}`, JSON.stringify(seeds));
  }
}

/** A worker of one sweep asks BullMQ for jobs by this name. */
export function queueName(sweep: SharedSweep): string {
  return `sweep-${sweepId(sweep)}`;
}

export const QUEUE_PREFIX = 'detsim';

function key(id: string, part: string): string {
  return `detsim:${id}:${part}`;
}
