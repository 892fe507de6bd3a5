/**
 * How long a person waits for the first sign: `detsim --version`, and a sweep of one trial of a
 * project that has not changed, beside a Node that does nothing.
 *
 *     node dist/bench/startup.js [--json] [--rounds=9]
 *
 * All are measured in turn, round by round, from the start of the process to its end, and the
 * figures are medians of the rounds. A sweep of one trial is more than the time to its first trial:
 * the report is in it.
 */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { figure, median, printFigures, type Figure } from './figures.js';
import { inProject } from './sweep/project.js';

const detsim = path.join(__dirname, '../cli/bin.js');

export async function benchStartup(rounds: number): Promise<{ figures: Figure[] }> {
  return inProject(async (root) => {
    const timed = (...args: readonly string[]): number => {
      const startedMs = performance.now();
      const stdio = ['ignore', 'ignore', 'inherit'] as const;
      execFileSync(process.execPath, args, { cwd: root, stdio: [...stdio] });
      return performance.now() - startedMs;
    };
    const sweep = [detsim, 'sweep', '--trials=1', '--no-check'];
    timed(...sweep);
    const times = { node: [] as number[], version: [] as number[], sweep: [] as number[] };
    for (let i = 0; i < rounds; i++) {
      times.node.push(timed('--eval', '0'));
      times.version.push(timed(detsim, '--version'));
      times.sweep.push(timed(...sweep));
    }
    const against = { 'node --eval 0': median(times.node) };
    const [bench, unit] = ['startup', 'ms'];
    return {
      figures: [
        figure({ bench, figure: 'node --eval 0', value: median(times.node), unit }),
        figure({
          ...{ bench, figure: 'detsim --version', value: median(times.version), unit, against },
          limit: 'at most 120 ms',
        }),
        figure({
          ...{ bench, figure: 'a sweep of one trial', value: median(times.sweep), unit, against },
          limit: 'first trial within 600 ms',
        }),
      ],
    };
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '9' },
    },
  });
  const { figures } = await benchStartup(Number(values.rounds));
  printFigures(figures, values.json);
}

if (require.main === module) void main();
