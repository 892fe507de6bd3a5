/**
 * Workers that take jobs from a queue under leases, a scavenger that gives what is late to others,
 * and accounts in a store with optimistic locking.
 *
 * Some of its bugs need one order of two steps; others are in the handling of what went wrong
 * before: two updates that have given up at the same time, a job that is lost for the second time.
 */

import type { Service } from './index.js';

const BUGS = [
  'stale cache',
  'job done twice',
  'three jobs dead',
  'gives up after 4 conflicts',
  'conflict under the lock',
  'lock held twice',
  'conflict of two that hold the lock',
  'steals a lock that is held',
] as const;

const SOURCE = `/** Awaited for everything that is remote. */
export type Remote = () => Promise<void>;

interface Row {
  balance: number;
  version: number;
}

interface Job {
  readonly id: number;
  state: 'ready' | 'leased' | 'done' | 'dead';
  lease: number;
  losses: number;
  done: number;
}

/** A balance in a store with optimistic locking, and a lock for those who have no luck. */
export class Bank {
  readonly wrong = new Set<string>();
  private readonly row: Row = { balance: 100, version: 0 };
  private cached: number | undefined;
  private locked = false;
  private inside = 0;

  constructor(private readonly remote: Remote) {}

  async balance(): Promise<number> {
    if (this.cached !== undefined) return this.cached;
    const { balance } = await this.read();
    // What was read may be old by now.
    this.cached = balance;
    return balance;
  }

  async deposit(amount: number): Promise<void> {
    for (let conflicts = 0; conflicts < 4; conflicts++) {
      const { balance, version } = await this.read();
      if (await this.swap(version, balance + amount)) return;
    }
    this.wrong.add('gives up after 4 conflicts');
    await this.underLock(amount);
  }

  check(): void {
    if (this.cached !== undefined && this.cached !== this.row.balance) {
      this.wrong.add('stale cache');
    }
  }

  private async underLock(amount: number): Promise<void> {
    for (let waited = 0; this.locked && waited < 3; waited++) await this.remote();
    if (this.locked) this.wrong.add('steals a lock that is held');
    await this.remote();
    // Another one may have come here too.
    this.locked = true;
    if (++this.inside > 1) this.wrong.add('lock held twice');
    for (;;) {
      const { balance, version } = await this.read();
      if (await this.swap(version, balance + amount)) break;
      await this.conflictUnderLock();
    }
    this.inside--;
    this.locked = false;
  }

  private async conflictUnderLock(): Promise<void> {
    // Those that have no lock yet do not look at it.
    this.wrong.add('conflict under the lock');
    if (this.inside > 1) this.wrong.add('conflict of two that hold the lock');
    await this.remote();
  }

  private async read(): Promise<Row> {
    await this.remote();
    const row = { ...this.row };
    await this.remote();
    return row;
  }

  private async swap(version: number, balance: number): Promise<boolean> {
    await this.remote();
    if (this.row.version !== version) return false;
    this.row.balance = balance;
    this.row.version++;
    this.cached = undefined;
    return true;
  }
}

/** Jobs that are leased to workers. */
export class Queue {
  readonly wrong = new Set<string>();
  private readonly jobs: Job[] = [];
  private dead = 0;

  constructor(
    private readonly remote: Remote,
    count: number,
  ) {
    for (let id = 0; id < count; id++) {
      this.jobs.push({ id, state: 'ready', lease: 0, losses: 0, done: 0 });
    }
  }

  async work(effect: (id: number) => Promise<void>): Promise<void> {
    for (;;) {
      const job = this.jobs.find(({ state }) => state === 'ready');
      if (job === undefined) return;
      job.state = 'leased';
      job.lease++;
      await this.remote();
      await effect(job.id);
      if (++job.done === 2) this.wrong.add('job done twice');
      await this.remote();
      job.state = 'done';
    }
  }

  /** Gives every job that has not come on since the last round to another worker. */
  async scavenge(rounds: number): Promise<void> {
    let seen = this.jobs.map(({ lease }) => lease);
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 8; i++) await this.remote();
      for (const job of this.jobs) {
        if (job.state !== 'leased' || job.lease !== seen[job.id]) continue;
        if (++job.losses < 2) job.state = 'ready';
        else await this.bury(job);
      }
      seen = this.jobs.map(({ lease }) => lease);
    }
  }

  private async bury(job: Job): Promise<void> {
    job.state = 'dead';
    await this.remote();
    if (++this.dead === 3) this.wrong.add('three jobs dead');
  }
}
`;

const SPEC = `import { Bank, Queue } from '../src/bank';

/** Stands in for a remote store. */
async function remote(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

describe('bank', () => {
  it('serves its clients', async () => {
    const bank = new Bank(remote);
    const queue = new Queue(remote, 4);
    const work = (): Promise<void> => queue.work((id) => bank.deposit(10 + id));
    await Promise.all([work(), work(), work(), queue.scavenge(8), bank.balance()]);
    await Promise.all([work(), bank.deposit(10), bank.balance()]);
    bank.check();
    const wrong = [...bank.wrong, ...queue.wrong];
    if (wrong.length > 0) throw new Error(wrong.sort().join(', '));
  });
});
`;

export const bank: Service = { name: 'bank', bugs: BUGS, source: SOURCE, spec: SPEC };
