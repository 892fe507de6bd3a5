/**
 * Begins a sweep on a queue, or goes on with it.
 */

import type { StrategyName } from '../../runtime/explore/strategies/names.js';
import type { CompileResult } from '../compile.js';
import { projectName, type ProjectSetup } from '../project.js';
import type { Shard } from '../report/shard.js';
import { seedsFile } from '../sweep/seeds-file.js';
import type { SweepOptions } from '../sweep/sweep.js';
import { codeIdentity } from './code-identity.js';
import { SweepQueue } from './sweep-queue.js';

export interface QueueSweep {
  readonly setup: ProjectSetup;
  readonly trials: number;
  readonly strategy: StrategyName;
  readonly shard: Shard | undefined;
  readonly compiled: CompileResult;
}

export async function beginOnQueue(
  url: string,
  { setup, trials, strategy, shard, compiled }: QueueSweep,
): Promise<{ queue: SweepQueue; place: Pick<SweepOptions, 'seeds' | 'steady'> }> {
  const file = seedsFile(setup.root);
  const code = codeIdentity(compiled);
  const sweep = { project: projectName(setup.root), code, trials, strategy, shard };
  const queue = await SweepQueue.open({ url, setup, sweep, seeds: file });
  process.stderr.write(
    `The sweep is on the queue. For each machine that takes part, run in a checkout of this code:\n` +
      `  npx detsim worker --queue=${url}\n`,
  );
  const seeds: SweepOptions['seeds'] = {
    read: () => [...queue.sweep.known],
    write(all) {
      file.write(all);
      queue.keepSeeds(all);
    },
  };
  return { queue, place: { seeds, steady: true } };
}
