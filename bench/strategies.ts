/**
 * How soon each strategy finds the bugs of a corpus: the table of docs/strategies.md.
 *
 *     node dist/bench/strategies.js --corpus=DIR [--work=DIR] [--cases=01,03] [--modes=fixed]
 *                                   [--strategies=pct,pos] [--bases=0,1000] [--trials=300]
 *
 * Every case is run in both versions of its package, with yield points in the package. A failure
 * counts when it is on rung `stubs` or below and the fixed version does not fail so under the same
 * strategy. Results are kept in the work folder, so that the table can be made part by part.
 */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from '../cli/compile.js';
import { loadConfig } from '../cli/config.js';
import { findSpecs } from '../cli/specs.js';
import { SEEDED } from '../runtime/explore/strategies/index.js';
import { findCases, prepareCase, type Case } from './corpus/cases.js';
import { renderStrategies, type StrategyResults } from './strategies/tables.js';
import type { StrategyRun } from './strategies/child.js';

const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string' },
    work: { type: 'string', default: path.join(os.tmpdir(), 'detsim-corpus') },
    cases: { type: 'string', default: '' },
    modes: { type: 'string', default: 'random,fixed,instant' },
    strategies: { type: 'string', default: ['portfolio', ...SEEDED].join(',') },
    bases: { type: 'string', default: '0,10000,20000,30000,40000' },
    trials: { type: 'string', default: '300' },
    'fixed-trials': { type: 'string', default: '300' },
    output: { type: 'string', default: '' },
  },
});

const child = path.join(__dirname, 'strategies', 'child.js');

function run(
  { folder }: Case,
  version: string,
  mode: string,
  bases: string,
  trials: string,
): StrategyRun[] {
  const env = { ...process.env, PKG: version, TIMES: mode === 'random' ? undefined : mode };
  const args = [child, folder, options.strategies, bases, trials, '2'];
  const text = execFileSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 29,
  });
  return JSON.parse(text) as StrategyRun[];
}

function prepare(one: Case): void {
  prepareCase(one);
  const config = { instrument: ['buggy', 'fixed'] };
  fs.writeFileSync(path.join(one.folder, 'detsim.config.json'), JSON.stringify(config));
  const { folder: root } = one;
  const loaded = loadConfig(root).config;
  const tests = findSpecs({ root, cwd: root, patterns: [], config: loaded });
  compile({ root, config: loaded, tests, check: false, pretty: false });
}

function main(): void {
  if (options.corpus === undefined) throw new Error('--corpus=DIR is missing: the folder of cases');
  const wanted = options.cases.split(',').filter((number) => number !== '');
  const cases = findCases(options.corpus, options.work).filter(
    ({ name }) => wanted.length === 0 || wanted.some((number) => name.startsWith(`${number}-`)),
  );
  const file = path.join(options.work, 'strategies.json');
  const results: StrategyResults = fs.existsSync(file)
    ? (JSON.parse(fs.readFileSync(file, 'utf8')) as StrategyResults)
    : {};
  for (const one of cases) {
    prepare(one);
    for (const mode of options.modes.split(',')) {
      const buggy = run(one, 'buggy', mode, options.bases, options.trials);
      const fixed = run(one, 'fixed', mode, '77', options['fixed-trials']);
      const known = ((results[mode] ??= {})[one.name] ??= { buggy: [], fixed: [] });
      const others = (runs: readonly StrategyRun[]): StrategyRun[] =>
        runs.filter(({ strategy }) => !options.strategies.split(',').includes(strategy));
      results[mode][one.name] = {
        buggy: [...others(known.buggy), ...buggy],
        fixed: [...others(known.fixed), ...fixed],
      };
      fs.writeFileSync(file, JSON.stringify(results));
    }
  }
  const text = renderStrategies(results);
  if (options.output === '') console.log(text);
  else fs.writeFileSync(options.output, text);
}

main();
