/**
 * Runs trials in this process with the code of a worker, as a sweep does.
 */

import { finish, mix } from '../../runtime/kernel/hash.js';
import { rungOfTrial, seedOf } from '../../runtime/explore/plan.js';
import { SEEDED } from '../../runtime/explore/strategies/index.js';
import type { ProjectSetup } from '../../cli/project.js';
import type { WarmUp } from '../../cli/sweep/protocol.js';
import { Engine } from '../../cli/worker/engine.js';

export class BenchWorker {
  /** A hash of all that the trials did. */
  work = 0;
  failures = 0;
  private readonly engine: Engine;
  private readonly file: string;
  private warmUp: WarmUp | undefined;
  private next = 2;

  constructor(private readonly setup: ProjectSetup) {
    [this.file] = setup.specs;
    this.engine = new Engine(setup, (message) => {
      if (message.type !== 'results') return;
      for (const shape of message.results.shapes) this.work = finish(mix(this.work, shape));
      this.failures += message.results.failing.length;
    });
  }

  /** Runs the next trials. @returns milliseconds of wall clock */
  async run(count: number): Promise<number> {
    const job = { file: this.file, isolate: 'modules' } as const;
    this.warmUp ??= (await this.engine.run({ kind: 'warm-up', ...job })) as WarmUp;
    const { profile, digest } = this.warmUp;
    const from = this.next;
    this.next += count;
    const { seed, order } = this.setup;
    const strategy = SEEDED[0];
    const seeds = Array.from({ length: count }, (_, i) =>
      seedOf(seed, from + i, rungOfTrial(from + i, order), strategy),
    );
    const to = from + count - 1;
    const range = { from, to, seeds, search: undefined, profile, digest, carefulMs: undefined };
    const startedMs = performance.now();
    await this.engine.run({ kind: 'trials', ...job, ...range });
    return performance.now() - startedMs;
  }
}
