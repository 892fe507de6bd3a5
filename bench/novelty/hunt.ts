/**
 * Runs trials of one file, with the code of a worker, until all bugs of the program have been found
 * or the CPU time is spent.
 */

import { Portfolio } from '../../runtime/explore/strategies/portfolio.js';
import type { TrialResults, WarmUp } from '../../cli/sweep/protocol.js';
import { Engine } from '../../cli/worker/engine.js';
import { setupFor } from '../sweep/project.js';

export interface HuntSize {
  readonly root: string;
  readonly spec: string;
  /** What is looked for. */
  readonly bugs: readonly string[];
  /** The base seed. */
  readonly seed: number;
  /** CPU seconds after which it ends, unless all bugs have been found before. */
  readonly cpu: number;
  /** A flat sweep when undefined. */
  readonly search: 'novelty' | undefined;
}

export interface Found {
  /** The first trial that showed it. */
  readonly trial: number;
  /** How many CPU seconds had passed by then. */
  readonly at: number;
  /** How many trials showed it. */
  readonly trials: number;
}

export interface Hunt {
  /** The bugs that were found, by name. */
  readonly bugs: ReadonlyMap<string, Found>;
  readonly trials: number;
  readonly cpuSeconds: number;
  readonly shapes: number;
}

const ENOUGH_TRIALS = 1_000_000;

export async function hunt({ root, spec, bugs, seed, cpu, search }: HuntSize): Promise<Hunt> {
  const setup = { ...setupFor(root, spec), seed };
  const portfolio = new Portfolio(seed, setup.order, 'portfolio');
  const found = new Map<string, Found>();
  const shapes = new Set<number>();
  let trials = 1;
  let started = process.cpuUsage();
  const elapsed = (): number => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1e6;
  };
  const over = (): boolean => elapsed() >= cpu || found.size === bugs.length;
  const engine = new Engine(setup, (message) => {
    if (message.type !== 'results') return;
    note(message.results);
    if (over()) engine.stop();
  });
  const note = ({ from, shapes: shown, failing, failures }: TrialResults): void => {
    for (const shape of shown) shapes.add(shape);
    trials = from + shown.length - 1;
    const failed = new Map(failing.map(([trial, ...which]) => [trial, which]));
    for (const [i, shape] of shown.entries()) {
      const signatures = (failed.get(from + i) ?? []).map((one) => failures[one].signature);
      portfolio.add(from + i, { shape, failures: signatures });
    }
    const shows = failures.map(({ message }) => bugs.filter((bug) => message.includes(bug)));
    for (const [trial, ...which] of failing) {
      for (const bug of new Set(which.flatMap((one) => shows[one]))) {
        const known = found.get(bug) ?? { trial, at: elapsed(), trials: 0 };
        found.set(bug, { ...known, trials: known.trials + 1 });
      }
    }
  };
  const [file] = setup.specs;
  const job = { file, isolate: 'modules' } as const;
  const { profile, digest, choices } = (await engine.run({ kind: 'warm-up', ...job })) as WarmUp;
  started = process.cpuUsage();
  const trialsOf = (from: number, to: number, seeds: readonly number[]): Promise<unknown> =>
    engine.run({
      kind: 'trials',
      ...job,
      ...{ from, to, seeds, search, profile, digest, carefulMs: undefined },
    });
  if (search !== undefined && choices > 0) {
    await trialsOf(2, ENOUGH_TRIALS, []);
  }
  while (search === undefined && !over()) {
    const from = trials + 1;
    const to = portfolio.blockEnd(from);
    const seeds = Array.from({ length: to - from + 1 }, (_, i) => portfolio.seed(from + i));
    await trialsOf(from, to, seeds);
  }
  return {
    bugs: found,
    trials,
    cpuSeconds: elapsed(),
    shapes: shapes.size,
  };
}
