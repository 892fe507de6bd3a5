/**
 * Whether the memory of a worker grows with the number of its trials.
 *
 *     node dist/bench/memory.js [--json] [--trials=100000] [--settled=10000]
 *
 * Resident memory goes up and down with the collector, so each figure is the median of samples over
 * a tenth of the trials: just after the first `settled` ones, and at the end.
 */

import { parseArgs } from 'node:util';
import { figure, median, printFigures, type Figure } from './figures.js';
import { inProject, setupFor } from './sweep/project.js';
import { BenchWorker } from './sweep/trials.js';

export interface MemorySize {
  readonly trials: number;
  /** Trials after which memory may not grow any more. */
  readonly settled: number;
}

const SAMPLES = 10;
const MIB = 1024 * 1024;

export async function benchMemory(size: MemorySize): Promise<{ figures: Figure[]; work: string }> {
  return inProject(async (root) => {
    const worker = new BenchWorker(setupFor(root));
    const step = Math.max(1, Math.floor(size.settled / SAMPLES));
    const sample = async (): Promise<number> => {
      const values: number[] = [];
      for (let i = 0; i < SAMPLES; i++) {
        await worker.run(step);
        values.push(process.memoryUsage.rss() / MIB);
      }
      return median(values);
    };
    await worker.run(size.settled);
    const settled = await sample();
    await worker.run(size.trials - size.settled - 2 * SAMPLES * step);
    const end = await sample();
    const at = (count: number): string => `resident memory at trial ${count}`;
    return {
      figures: [
        figure({ bench: 'memory', figure: at(size.settled), value: settled, unit: 'MiB' }),
        figure({
          bench: 'memory',
          figure: at(size.trials),
          value: end,
          unit: 'MiB',
          against: { settled },
          limit: 'no growth after the first',
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
      trials: { type: 'string', default: '100000' },
      settled: { type: 'string', default: '10000' },
    },
  });
  const { figures, work } = await benchMemory({
    trials: Number(values.trials),
    settled: Number(values.settled),
  });
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
