/**
 * A log that a leader copies to two followers, with a leader that can be replaced. Terms are
 * compared before the network is asked and not after, which is what goes wrong.
 */

import type { Service } from './index.js';

const source = `export type Remote = () => Promise<void>;

interface Entry {
  readonly term: number;
  readonly value: string;
}

interface Node {
  readonly log: Entry[];
  term: number;
  committed: number;
}

export class Cluster {
  readonly wrong = new Set<string>();
  private readonly nodes: Node[] = [0, 1, 2].map(() => ({ log: [], term: 0, committed: 0 }));
  private leaders = 0;

  constructor(private readonly remote: Remote) {}

  async append(leader: number, value: string): Promise<boolean> {
    const own = this.nodes[leader]!;
    const entry = { term: own.term, value };
    own.log.push(entry);
    const at = own.log.length - 1;
    const acks = await Promise.all(
      this.nodes.map(async (node, i) => i === leader || this.copy(node, at, entry)),
    );
    if (acks.filter((ack) => ack).length < 2) return false;
    if (own.term !== entry.term) this.wrong.add('commits in a later term');
    own.committed = Math.max(own.committed, at + 1);
    return true;
  }

  async elect(candidate: number): Promise<void> {
    const own = this.nodes[candidate]!;
    const term = own.term + 1;
    own.term = term;
    let votes = 1;
    for (const node of this.nodes) {
      if (node === own) continue;
      await this.remote();
      if (node.term >= term || node.log.length > own.log.length) continue;
      await this.remote();
      // It may have voted for another one meanwhile.
      node.term = term;
      votes++;
    }
    if (votes < 2) return;
    if (own.term !== term) this.wrong.add('elected in an old term');
    if (++this.leaders > 1) this.wrong.add('two leaders');
    await this.append(candidate, 'leader ' + candidate);
    this.leaders--;
  }

  end(): void {
    const committed = this.nodes.map(({ log, committed: count }) => log.slice(0, count));
    for (const a of committed) {
      for (const b of committed) {
        const both = Math.min(a.length, b.length);
        for (let i = 0; i < both; i++) {
          if (a[i]!.value !== b[i]!.value) this.wrong.add('committed entries differ');
        }
      }
    }
  }

  private async copy(node: Node, at: number, entry: Entry): Promise<boolean> {
    await this.remote();
    if (entry.term < node.term) return false;
    await this.remote();
    if (entry.term < node.term) this.wrong.add('follower takes an old term');
    const known = node.log[at];
    if (known !== undefined && at < node.committed) this.wrong.add('overwrites what is committed');
    if (at > node.log.length) this.wrong.add('gap in a log');
    node.log[at] = entry;
    node.term = entry.term;
    await this.remote();
    node.committed = Math.max(node.committed, at);
    return true;
  }
}
`;

const spec = `import { Cluster } from '../src/log';

async function remote(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

describe('log', () => {
  it('agrees', async () => {
    const cluster = new Cluster(remote);
    const client = async (): Promise<void> => {
      for (const value of ['a', 'b', 'c']) await cluster.append(0, value);
    };
    const rival = async (): Promise<void> => {
      for (let i = 0; i < 4; i++) await remote();
      await cluster.elect(1);
      await cluster.append(1, 'd');
    };
    const other = async (): Promise<void> => {
      for (let i = 0; i < 12; i++) await remote();
      await cluster.elect(2);
    };
    await Promise.all([client(), rival(), other()]);
    cluster.end();
    if (cluster.wrong.size > 0) throw new Error([...cluster.wrong].sort().join(', '));
  });
});
`;

export const log: Service = {
  name: 'log',
  bugs: [
    'commits in a later term',
    'elected in an old term',
    'two leaders',
    'follower takes an old term',
    'overwrites what is committed',
    'gap in a log',
    'committed entries differ',
  ],
  source,
  spec,
};
