/**
 * Fuzzes the recovery of the key-value example: any bytes, and damaged logs, with checksums and
 * without. A run that throws or is not consistent ends the benchmark with what fast-check shrinks
 * it to.
 *
 *     node dist/bench/fuzz.js [--json] [--runs=344000] [--seed=1]
 */

import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { properties } from '../examples/kv/test/fuzz.js';
import { mix } from '../runtime/kernel/hash.js';
import { figure, printFigures, type Figure } from './figures.js';

export function benchFuzz(runs: number, seed: number): { figures: Figure[]; work: string } {
  let work = 0;
  let count = 0;
  const all = properties(({ bytes, records }) => {
    count++;
    work = mix(mix(work, bytes), records);
  });
  const list = Object.entries(all);
  const figures: Figure[] = [];
  const started = process.hrtime.bigint();
  for (const [name, property] of list) {
    const before = count;
    fc.assert(property, { seed, numRuns: Math.ceil(runs / list.length) });
    figures.push(figure({ bench: 'fuzz', figure: name, value: count - before, unit: 'runs' }));
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  figures.push(
    figure({
      bench: 'fuzz',
      figure: 'without a throw',
      value: count,
      unit: 'runs',
      limit: 'at least 340,000 runs',
    }),
    figure({ bench: 'fuzz', figure: 'rate', value: count / seconds, unit: 'runs/s' }),
  );
  return { figures, work: (work >>> 0).toString(16) };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      runs: { type: 'string', default: '344000' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { figures, work } = benchFuzz(Number(values.runs), Number(values.seed));
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) main();
