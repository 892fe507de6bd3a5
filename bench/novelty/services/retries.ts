/**
 * A queue of jobs that fail now and then, are retried after a while, and are given up in the end.
 * A job fails when another touches its resource at the same time, so that what retries do depends
 * on the order of everything before.
 */

import type { Service } from './index.js';

const source = `export type Remote = () => Promise<void>;

export class Jobs {
  readonly wrong = new Set<string>();
  private readonly busy = new Map<string, number>();
  private readonly dead: number[] = [];
  private failures = 0;
  private open = true;

  constructor(private readonly remote: Remote) {}

  async run(id: number, resource: string): Promise<void> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      if (await this.attempt(resource)) return;
      if (!this.open) {
        this.wrong.add('retries while the breaker is open');
        if (attempt === 3) this.wrong.add('last attempt while the breaker is open');
      }
      for (let i = 0; i < attempt; i++) await this.remote();
    }
    await this.bury(id);
  }

  /** Runs what has been given up once more, as an operator would. */
  async revive(): Promise<void> {
    for (let i = 0; i < 10; i++) await this.remote();
    const ids = [...this.dead];
    for (const id of ids) {
      await this.remote();
      // It may have been buried twice by now.
      if (this.dead.filter((one) => one === id).length > 1) this.wrong.add('buried twice');
      this.dead.splice(this.dead.indexOf(id), 1);
      await this.run(id, 'a');
      if (this.dead.includes(id)) this.wrong.add('revived in vain');
    }
  }

  private async attempt(resource: string): Promise<boolean> {
    const users = (this.busy.get(resource) ?? 0) + 1;
    this.busy.set(resource, users);
    await this.remote();
    const alone = this.busy.get(resource) === 1;
    await this.remote();
    this.busy.set(resource, this.busy.get(resource)! - 1);
    if (!alone) await this.failed();
    return alone;
  }

  private async failed(): Promise<void> {
    const failures = ++this.failures;
    if (failures < 5) return;
    this.open = false;
    await this.remote();
    // Whoever has come later has opened it again.
    if (this.failures > failures) this.wrong.add('breaker closed by one and opened by another');
    this.failures = 0;
    this.open = true;
  }

  private async bury(id: number): Promise<void> {
    await this.remote();
    this.dead.push(id);
    if (this.dead.length === 2) this.wrong.add('two jobs given up');
  }
}
`;

const spec = `import { Jobs } from '../src/retries';

async function remote(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

describe('retries', () => {
  it('runs every job', async () => {
    const jobs = new Jobs(remote);
    const client = async (from: number): Promise<void> => {
      for (let i = 0; i < from; i++) for (let j = 0; j < 4; j++) await remote();
      await jobs.run(from, 'a');
      await jobs.run(10 + from, from % 2 === 0 ? 'a' : 'b');
    };
    await Promise.all([client(0), client(1), client(2), jobs.revive()]);
    if (jobs.wrong.size > 0) throw new Error([...jobs.wrong].sort().join(', '));
  });
});
`;

export const retries: Service = {
  name: 'retries',
  bugs: [
    'retries while the breaker is open',
    'last attempt while the breaker is open',
    'breaker closed by one and opened by another',
    'two jobs given up',
    'revived in vain',
  ],
  source,
  spec,
};
