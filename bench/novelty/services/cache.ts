/**
 * A cache whose readers share one load, and whose writers invalidate it. A load that began before a
 * write must not be kept after it; what happens to the waiters of such a load is where it goes
 * wrong.
 */

import type { Service } from './index.js';

const source = `export type Remote = () => Promise<void>;

interface Entry {
  readonly value: number;
  readonly version: number;
}

export class Cache {
  readonly wrong = new Set<string>();
  private stored = 0;
  private version = 0;
  private entry: Entry | undefined;
  private flight: Promise<Entry> | undefined;
  private loads = 0;
  private repairs = 0;

  constructor(private readonly remote: Remote) {}

  async read(atLeast: number): Promise<number> {
    for (let tries = 0; tries < 4; tries++) {
      const { value } = this.entry ?? (await this.load());
      if (value >= atLeast) return value;
      this.wrong.add('does not see its own write');
      this.entry = undefined;
      if (tries > 0) await this.repair();
    }
    this.wrong.add('never sees its own write');
    return this.stored;
  }

  async write(value: number): Promise<void> {
    await this.remote();
    this.stored = Math.max(this.stored, value);
    this.version++;
    await this.remote();
    this.entry = undefined;
  }

  end(): void {
    if (this.entry !== undefined && this.entry.value !== this.stored) {
      this.wrong.add('stale at the end');
    }
  }

  private load(): Promise<Entry> {
    return (this.flight ??= this.fetch().finally(() => (this.flight = undefined)));
  }

  private async fetch(): Promise<Entry> {
    if (++this.loads > 1) this.wrong.add('two loads at once');
    await this.remote();
    const entry = { value: this.stored, version: this.version };
    await this.remote();
    this.loads--;
    if (this.version > entry.version + 1) this.wrong.add('two writes during one load');
    this.entry = entry;
    return entry;
  }

  /** Goes round the flight that others share. */
  private async repair(): Promise<void> {
    if (++this.repairs > 1) this.wrong.add('two repairs at once');
    this.entry = await this.fetch();
    this.repairs--;
  }
}
`;

const spec = `import { Cache } from '../src/cache';

async function remote(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

describe('cache', () => {
  it('shows every client what it has written', async () => {
    const cache = new Cache(remote);
    const client = async (first: number): Promise<void> => {
      for (const value of [first, first + 3]) {
        await cache.write(value);
        await cache.read(value);
        await remote();
      }
    };
    await Promise.all([client(1), client(2), client(3), cache.read(0)]);
    cache.end();
    if (cache.wrong.size > 0) throw new Error([...cache.wrong].sort().join(', '));
  });
});
`;

export const cache: Service = {
  name: 'cache',
  bugs: ['does not see its own write', 'two loads at once', 'two writes during one load'],
  source,
  spec,
};
