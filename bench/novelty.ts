/**
 * How many bugs `--novelty` finds in a given CPU time, beside a flat sweep, in a program with much
 * interleaving; and how soon it stops where there is one schedule.
 *
 *     node dist/bench/novelty.js [--json] [--cpu=10] [--bases=0,1000,2000]
 *
 * Both run in this process by turns, with the code of a worker. The flat sweep is the default one.
 * The figures are medians over the base seeds.
 */

import { parseArgs } from 'node:util';
import { figure, median, printFigures, type Figure } from './figures.js';
import { hunt, type Hunt } from './novelty/hunt.js';
import { ALONE_SPEC, BUGS, SOURCE, SPEC } from './novelty/program.js';
import { inProject } from './sweep/project.js';

export interface NoveltySize {
  /** CPU seconds of each search. */
  readonly cpu: number;
  readonly bases: readonly number[];
}

const FILES = {
  'src/bank.ts': SOURCE,
  'test/bank.test.ts': SPEC,
  'test/alone.test.ts': ALONE_SPEC,
};

export async function benchNovelty({ cpu, bases }: NoveltySize): Promise<Figure[]> {
  return inProject(async (root) => {
    // The first one pays for what the engine has not optimized yet.
    await hunt({ root, spec: 'test/bank.test.ts', seed: 1, cpu: cpu / 5, search: 'novelty' });
    const novelty: Hunt[] = [];
    const flat: Hunt[] = [];
    for (const seed of bases) {
      const size = { root, spec: 'test/bank.test.ts', seed, cpu };
      novelty.push(await hunt({ ...size, search: 'novelty' }));
      flat.push(await hunt({ ...size, search: undefined }));
    }
    const alone = await hunt({ root, spec: 'test/alone.test.ts', seed: 0, cpu, search: 'novelty' });
    const of = (hunts: readonly Hunt[], value: (one: Hunt) => number): number =>
      median(hunts.map(value));
    const rate = ({ bugs, cpuSeconds }: Hunt): number => bugs.size / cpuSeconds;
    const per = (one: Hunt): number => one.trials / one.cpuSeconds;
    return [
      figure({
        bench: 'novelty',
        figure: `bugs of ${BUGS.length} in ${cpu} CPU s`,
        value: of(novelty, ({ bugs }) => bugs.size),
        unit: '',
        against: { 'flat sweep': of(flat, ({ bugs }) => bugs.size) },
      }),
      figure({
        bench: 'novelty',
        figure: 'bugs per CPU second',
        value: of(novelty, rate),
        unit: '/s',
        against: { 'flat sweep': of(flat, rate) },
        limit: 'more than the flat sweep',
      }),
      figure({
        bench: 'novelty',
        figure: 'trials per CPU second',
        value: of(novelty, per),
        unit: '/s',
        against: { 'flat sweep': of(flat, per) },
      }),
      figure({
        bench: 'novelty',
        figure: 'trials of a program with one schedule',
        value: alone.trials,
        unit: '',
        limit: '1',
      }),
    ];
  }, FILES);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      cpu: { type: 'string', default: '10' },
      bases: { type: 'string', default: '0,1000,2000,3000,4000' },
    },
  });
  const bases = values.bases.split(',').map(Number);
  printFigures(await benchNovelty({ cpu: Number(values.cpu), bases }), values.json);
}

if (require.main === module) void main();
