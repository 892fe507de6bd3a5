/**
 * How many bugs `--novelty` finds in a given CPU time, beside a flat sweep, in programs with much
 * interleaving; and how soon it stops where there is one schedule.
 *
 *     node dist/bench/novelty.js [--json] [--cpu=10] [--bases=0,1000,2000] [--services=bank,pool]
 *
 * Both run in this process by turns, with the code of a worker. The flat sweep is the default one.
 * The figures are medians over the base seeds.
 */

import { parseArgs } from 'node:util';
import { figure, median, printFigures, type Figure } from './figures.js';
import { hunt, type Hunt } from './novelty/hunt.js';
import { ALONE_SPEC } from './novelty/alone.js';
import { SERVICES, type Service } from './novelty/services/index.js';
import { inProject } from './sweep/project.js';

export interface NoveltySize {
  /** CPU seconds of each search. */
  readonly cpu: number;
  readonly bases: readonly number[];
  readonly services: readonly Service[];
}

const FILES = {
  'test/alone.test.ts': ALONE_SPEC,
  ...Object.fromEntries(
    SERVICES.flatMap(({ name, source, spec }) => [
      [`src/${name}.ts`, source],
      [`test/${name}.test.ts`, spec],
    ]),
  ),
};

export async function benchNovelty(size: NoveltySize): Promise<Figure[]> {
  return inProject(async (root) => {
    const figures: Figure[] = [];
    for (const service of size.services) figures.push(...(await compare(root, service, size)));
    const spec = 'test/alone.test.ts';
    const alone = await hunt({ root, spec, bugs: [''], seed: 0, cpu: size.cpu, search: 'novelty' });
    figures.push(
      figure({
        bench: 'novelty',
        figure: 'trials of a program with one schedule',
        value: alone.trials,
        unit: '',
        limit: '1',
      }),
    );
    return figures;
  }, FILES);
}

/** Both searches on one program, by turns. */
async function compare(root: string, service: Service, size: NoveltySize): Promise<Figure[]> {
  const { name, bugs } = service;
  const { cpu, bases } = size;
  const common = { root, spec: `test/${name}.test.ts`, bugs, cpu };
  // The first one pays for what the engine has not optimized yet.
  await hunt({ ...common, seed: 1, cpu: cpu / 5, search: 'novelty' });
  const novelty: Hunt[] = [];
  const flat: Hunt[] = [];
  for (const seed of bases) {
    novelty.push(await hunt({ ...common, seed, search: 'novelty' }));
    flat.push(await hunt({ ...common, seed, search: undefined }));
  }
  const of = (hunts: readonly Hunt[], value: (one: Hunt) => number): number =>
    median(hunts.map(value));
  const both = (what: string, unit: string, value: (one: Hunt) => number, limit?: string): Figure =>
    figure({
      bench: 'novelty',
      figure: `${name}: ${what}`,
      value: of(novelty, value),
      unit,
      against: { 'flat sweep': of(flat, value) },
      ...(limit === undefined ? {} : { limit }),
    });
  const rate = ({ bugs: found, cpuSeconds }: Hunt): number => found.size / cpuSeconds;
  return [
    both(`bugs of ${bugs.length} in ${cpu} CPU s`, '', (one) => one.bugs.size),
    both('bugs per CPU second', '/s', rate, 'more than the flat sweep'),
    both('trials per CPU second', '/s', (one) => one.trials / one.cpuSeconds),
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      cpu: { type: 'string', default: '10' },
      bases: { type: 'string', default: '0,1000,2000,3000,4000' },
      services: { type: 'string', default: SERVICES.map(({ name }) => name).join(',') },
    },
  });
  const bases = values.bases.split(',').map(Number);
  const names = values.services.split(',');
  const services = SERVICES.filter(({ name }) => names.includes(name));
  printFigures(await benchNovelty({ cpu: Number(values.cpu), bases, services }), values.json);
}

if (require.main === module) void main();
