/**
 * A pool of connections whose size changes while it is used. Its bugs are in what happens between a
 * decision and the end of the connect or close that it began.
 */

import type { Service } from './index.js';

const source = `export type Remote = () => Promise<void>;

interface Connection {
  readonly id: number;
  users: number;
  closed: boolean;
}

export class Pool {
  readonly wrong = new Set<string>();
  private readonly idle: Connection[] = [];
  private readonly waiting: ((one: Connection) => void)[] = [];
  private size = 0;
  private opened = 0;
  private resizes = 0;

  constructor(
    private readonly remote: Remote,
    private max: number,
  ) {}

  async query(): Promise<void> {
    const one = await this.acquire();
    if (++one.users > 1) this.wrong.add('shared connection');
    await this.remote();
    if (one.closed) this.wrong.add('query on a closed connection');
    one.users--;
    this.release(one);
  }

  async resize(max: number): Promise<void> {
    if (++this.resizes > 1) this.wrong.add('two resizes at once');
    await this.remote();
    this.max = max;
    while (this.size > this.max) {
      const one = this.idle[0];
      if (one === undefined) break;
      await this.close(one);
    }
    if (this.size < 0) this.wrong.add('negative size');
    this.resizes--;
  }

  /** A connection that has not answered a ping is replaced. */
  async check(): Promise<void> {
    const one = this.idle[0];
    if (one === undefined) return;
    await this.remote();
    if (one.users === 0) return;
    // It is in use by now: its user has to ping it as well.
    await this.remote();
    if (!one.closed && this.idle.includes(one)) {
      this.wrong.add('checked twice');
      await this.close(one);
      if (this.waiting.length > 0) this.wrong.add('closes while others wait');
    }
  }

  end(): void {
    if (this.size > this.max) this.wrong.add('larger than its maximum');
  }

  private async acquire(): Promise<Connection> {
    const known = this.idle.pop();
    if (known !== undefined) return known;
    if (this.size < this.max) {
      await this.remote();
      // Others have connected meanwhile.
      this.size++;
      await this.remote();
      return { id: ++this.opened, users: 0, closed: false };
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private release(one: Connection): void {
    const next = this.waiting.shift();
    if (next !== undefined) next(one);
    else this.idle.push(one);
  }

  private async close(one: Connection): Promise<void> {
    await this.remote();
    const at = this.idle.indexOf(one);
    if (at >= 0) this.idle.splice(at, 1);
    else this.wrong.add('closes what is taken');
    one.closed = true;
    this.size--;
    await this.remote();
  }
}
`;

const spec = `import { Pool } from '../src/pool';

async function remote(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

describe('pool', () => {
  it('serves its clients while it is resized', async () => {
    const pool = new Pool(remote, 2);
    const client = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) await pool.query();
    };
    const operator = async (): Promise<void> => {
      for (const size of [1, 3]) {
        for (let i = 0; i < 3; i++) await remote();
        await pool.resize(size);
        await pool.check();
      }
    };
    await Promise.all([client(), client(), client(), client(), operator(), operator()]);
    pool.end();
    if (pool.wrong.size > 0) throw new Error([...pool.wrong].sort().join(', '));
  });
});
`;

export const pool: Service = {
  name: 'pool',
  bugs: [
    'query on a closed connection',
    'closes what is taken',
    'larger than its maximum',
    'checked twice',
    'closes while others wait',
  ],
  source,
  spec,
};
