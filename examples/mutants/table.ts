/**
 * Prints how many seeds it takes to find each planted mistake: with a bit of every fault, and with
 * faults drawn from the seed.
 *
 *     node dist/examples/mutants/table.js [--seeds=1000] [NAME...]
 *
 * The table is Markdown. The exit status is 1 when a mistake was not found, or the correct code did
 * not survive.
 */

import { parseArgs } from 'node:util';
import { kvCorrect, kvMutants } from './kv.js';
import { search, type Mutant } from './mutant.js';
import { raftCorrect, raftMutants } from './raft.js';

const correct = [...raftCorrect, kvCorrect];

function row(mutant: Mutant, seeds: number): { cells: string[]; well: boolean } {
  const found = [false, true].map((swarm) => search(mutant, swarm, seeds).found);
  const well = correct.includes(mutant)
    ? found.every((seed) => seed === undefined)
    : found.some((seed) => seed !== undefined);
  const { system, name, mistake } = mutant;
  return { cells: [system, name, mistake, ...found.map((seed) => String(seed ?? '-'))], well };
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: { seeds: { type: 'string', default: '1000' } },
    allowPositionals: true,
  });
  const seeds = Number(values.seeds);
  const all = [...raftMutants, ...kvMutants, ...correct];
  const wanted = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const head = ['system', 'mistake', 'what is wrong', 'seeds', 'seeds, swarm'];
  const line = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
  line(head);
  line(head.map(() => '---'));
  for (const mutant of wanted) {
    const { cells, well } = row(mutant, seeds);
    line(cells);
    if (!well) process.exitCode = 1;
  }
}

main();
