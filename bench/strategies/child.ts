/**
 * Runs one case of the corpus under every strategy, in one process, and prints what failed.
 *
 *     node child.js FOLDER STRATEGIES BASES TRIALS     (PKG and TIMES in the environment)
 */

import { loadConfig } from '../../cli/config.js';
import { findSpecs } from '../../cli/specs.js';
import { failuresOf } from '../../cli/worker/collector.js';
import { createRunner, type TrialRunner } from '../../cli/worker/runner.js';
import { emptyPlan, rungOf, seedPlan } from '../../runtime/explore/plan.js';
import { profileRecorder, type Profile } from '../../runtime/explore/profile.js';
import { signatureOf } from '../../runtime/explore/signature.js';
import type { SeededName } from '../../runtime/explore/strategies/index.js';
import { Portfolio } from '../../runtime/explore/strategies/portfolio.js';
import { ANY, type Rung } from '../../runtime/kernel/rung.js';

/** Trials of one strategy and base seed that failed: trial, rung and signatures. */
export interface StrategyRun {
  readonly strategy: string;
  readonly base: number;
  readonly trials: number;
  readonly cpuMs: number;
  readonly shapes: number;
  readonly failures: readonly [trial: number, rung: number, ...signatures: string[]][];
}

async function main(): Promise<void> {
  const [folder, names, bases, trials, order = String(ANY)] = process.argv.slice(2);
  const { config } = loadConfig(folder);
  const specs = findSpecs({ root: folder, cwd: folder, patterns: [], config });
  const common = { root: folder, config, specs, grep: undefined, isolate: 'modules' } as const;
  const runner = createRunner({ ...common, seed: 0, order: ANY, maxStall: 10 }, 'modules');
  const { recorder, profile } = profileRecorder();
  const [file] = specs;
  await runner.runAsync({
    file,
    plan: emptyPlan,
    console: 'swallow',
    observe: ({ loop }) => void (loop.recorder = recorder),
  });
  const runs: StrategyRun[] = [];
  for (const strategy of names.split(',') as (SeededName | 'portfolio')[]) {
    for (const base of bases.split(',').map(Number)) {
      const portfolio = new Portfolio(base, Number(order) as Rung, strategy);
      runs.push(await sweep(runner, file, profile, portfolio, Number(trials), { strategy, base }));
    }
  }
  process.stdout.write(JSON.stringify(runs));
}

async function sweep(
  runner: TrialRunner,
  file: string,
  profile: Profile,
  portfolio: Portfolio,
  trials: number,
  of: { strategy: string; base: number },
): Promise<StrategyRun> {
  const failures: StrategyRun['failures'][number][] = [];
  const shapes = new Set<number>();
  const started = process.cpuUsage();
  for (let trial = 1; trial <= trials; trial++) {
    const seed = portfolio.seed(trial);
    const plan = seedPlan(seed, profile);
    const result = await runner.runAsync({ file, plan, console: 'swallow' });
    const signatures = failuresOf(result).map(({ title, failure }) => signatureOf(failure, title));
    shapes.add(result.shape);
    portfolio.add(trial, { shape: result.shape, failures: signatures });
    if (signatures.length > 0) failures.push([trial, rungOf(seed), ...signatures]);
  }
  const { user, system } = process.cpuUsage(started);
  return { ...of, trials, cpuMs: (user + system) / 1000, shapes: shapes.size, failures };
}

void main();
