/**
 * A sweep of one spec file of a fixture, without the command line around it.
 */

import path from 'node:path';
import type { SweepReport } from '../../cli/report/model.js';
import { LocalLane } from '../../cli/sweep/local-lane.js';
import { seedsFile } from '../../cli/sweep/seeds-file.js';
import { Sweep, type SweepOptions } from '../../cli/sweep/sweep.js';
import { compileFor } from '../../cli/commands/sweep.js';
import type { Rung } from '../../runtime/kernel/rung.js';
import type { Settings } from '../../cli/commands/settings.js';

interface Place {
  readonly order?: Rung;
  readonly workers?: number;
  /** Whether the lanes but the first take no trials yet. */
  readonly waits?: () => boolean;
}

/** Sweeps one spec file of a fixture with a watchdog that does not wait long. */
export async function sweep(
  folder: string,
  spec: string,
  options: Partial<SweepOptions> & Place = {},
): Promise<SweepReport> {
  const { order = 2, workers = 2, waits, ...rest } = options;
  const setup = {
    root: folder,
    config: {},
    specs: [path.join(folder, 'test', spec)],
    grep: undefined,
    isolate: 'modules',
    seed: 0,
    order,
    maxStall: 10,
  } as const;
  compileFor({ setup } as unknown as Settings, false, false);
  const sweep = new Sweep({
    setup,
    specs: setup.specs,
    cwd: folder,
    trials: 60,
    lanes: () =>
      Array.from({ length: workers }, (_, i) => new LocalLane(setup, i > 0 ? waits : undefined)),
    seeds: seedsFile(folder),
    steady: false,
    failOn: 2,
    minimize: true,
    strategy: 'portfolio',
    timeBudgetMs: undefined,
    silenceMs: 1500,
    environment: {},
    progress: { say: () => undefined, update: () => undefined, end: () => undefined },
    ...rest,
  });
  return sweep.run();
}
