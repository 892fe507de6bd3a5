/**
 * How fast a sweep is: trials a second in a warm worker, and the whole command from cold, beside
 * one mocha process for each seed.
 *
 *     node dist/bench/sweep.js [--json] [--trials=1000] [--sweep-trials=2000] [--rounds=5]
 *
 * All are measured in turn, round by round, and the figures are medians of the rounds. The mocha
 * that they are set against runs compiled JavaScript: it does not pay for a compiler.
 */

import path from 'node:path';
import { parseArgs } from 'node:util';
import { figure, median, printFigures, type Figure } from './figures.js';
import { coldSweep, node } from './sweep/cold-sweep.js';
import { inProject, setupFor } from './sweep/project.js';
import { BenchWorker } from './sweep/trials.js';

const modules = path.join(__dirname, '../../node_modules');
const mocha = path.join(modules, 'mocha/bin/mocha.js');

export interface SweepSize {
  /** Trials of one measurement in a warm worker. */
  readonly trials: number;
  /** Trials of the whole sweep. */
  readonly sweepTrials: number;
  readonly rounds: number;
}

export async function benchSweep(size: SweepSize): Promise<{ figures: Figure[]; work: string }> {
  return inProject(async (root) => {
    node(root, path.join(modules, 'typescript/bin/tsc'), '-p', '.');
    const worker = new BenchWorker(setupFor(root));
    await worker.run(size.trials);
    const rounds: { warm: number; mocha: number; sweep: number }[] = [];
    for (let i = 0; i < size.rounds; i++) {
      rounds.push({
        warm: (1000 * size.trials) / (await worker.run(size.trials)),
        mocha: 1000 / node(root, mocha, '--no-config', 'out/test/*.test.js'),
        sweep: coldSweep(root, size.sweepTrials),
      });
    }
    if (worker.failures > 0) throw new Error('a test of the benchmark has failed');
    const of = (key: 'warm' | 'mocha' | 'sweep'): number => median(rounds.map((r) => r[key]));
    return {
      figures: [
        figure({
          bench: 'sweep',
          figure: 'trials of three tests, one warm worker',
          value: of('warm'),
          unit: '/s',
          against: { 'mocha process per seed': of('mocha') },
          limit: 'at least 1500 /s and 200 x mocha',
        }),
        figure({
          bench: 'sweep',
          figure: `detsim sweep --trials=${size.sweepTrials}, from cold`,
          value: of('sweep') / 1000,
          unit: 's',
          limit: 'at most 5 s on two cores',
        }),
      ],
      work: (worker.work >>> 0).toString(16),
    };
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      trials: { type: 'string', default: '1000' },
      'sweep-trials': { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const { figures, work } = await benchSweep({
    trials: Number(values.trials),
    sweepTrials: Number(values['sweep-trials']),
    rounds: Number(values.rounds),
  });
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
