/**
 * What detsim finds in real bugs of real packages: one table for each way in which the tests wait.
 *
 *     npm run corpus -- --corpus=DIR [--cases=01,03] [--modes=fixed]
 *                       [--trials=N] [--fixed-trials=N]
 *                       [--sweeps=buggy,buggyPlain,fixed,fixedPlain]
 *
 * DIR holds one folder for each case: a small mocha project with the package at a buggy and at the
 * fixed version. Each is copied to a work folder, installed once, and swept in both versions, with
 * and without yield points in the package. Results are kept in the work folder,
 * so that a part of the table can be made anew; docs/corpus.md is written from all that are there,
 * and keeps the tables of which there are none.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findCases, prepareCase, type Case } from './corpus/cases.js';
import { examineFinding } from './corpus/replays.js';
import { sweepCase, type Sweep } from './corpus/sweeps.js';
import { figuresOf } from './corpus/figures.js';
import { renderTables } from './corpus/tables.js';

/** How the tests wait: delays drawn at random, all the same, or none. */
export const MODES = ['random', 'fixed', 'instant'] as const;
export type Mode = (typeof MODES)[number];

/** The sweeps of one case in one mode; those that have not been made are missing. */
export interface CaseResults {
  buggy?: Sweep;
  buggyPlain?: Sweep;
  fixed?: Sweep;
  fixedPlain?: Sweep;
}

/** Results by mode, then by the name of the case. */
export type Results = Partial<Record<Mode, Record<string, CaseResults>>>;

const root = path.join(__dirname, '..', '..');

const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string' },
    work: { type: 'string', default: path.join(os.tmpdir(), 'detsim-corpus') },
    cases: { type: 'string', default: '' },
    modes: { type: 'string', default: MODES.join(',') },
    sweeps: { type: 'string', default: '' },
    trials: { type: 'string', default: '1000' },
    'fixed-trials': { type: 'string', default: '10000' },
    output: { type: 'string', default: path.join(root, 'docs', 'corpus.md') },
  },
});

/** Sweeps one case in one mode, and says what came of it. */
function runCase(one: Case, mode: Mode, known: CaseResults | undefined): CaseResults {
  const trials = Number(options.trials);
  const fixedTrials = Number(options['fixed-trials']);
  const sweep = (version: 'buggy' | 'fixed', instrument: boolean, count: number): Sweep => {
    const request = { ...one, version, mode, instrument, trials: count };
    const result = sweepCase(request);
    if (version === 'buggy' && instrument) {
      for (const finding of result.findings) finding.afterwards = examineFinding(request, finding);
    }
    const findings = `${result.findings.length} findings, ${result.hazards.length} hazards`;
    const how = instrument ? 'instrumented' : 'plain';
    console.log(
      `${one.name} ${mode} ${version} ${how}: ${result.error?.slice(0, 300) ?? findings}`,
    );
    return result;
  };
  const { sweeps } = options;
  const wanted = (name: keyof CaseResults): boolean =>
    sweeps === '' || sweeps.split(',').includes(name);
  return {
    ...known,
    ...(wanted('buggy') && { buggy: sweep('buggy', true, trials) }),
    ...(wanted('buggyPlain') && { buggyPlain: sweep('buggy', false, trials) }),
    ...(wanted('fixed') && { fixed: sweep('fixed', true, fixedTrials) }),
    // Needed only to know what of the buggy version's failures counts.
    ...(wanted('fixedPlain') && { fixedPlain: sweep('fixed', false, Math.min(fixedTrials, 2000)) }),
  };
}

function main(): void {
  if (options.corpus === undefined) throw new Error('--corpus=DIR is missing: the folder of cases');
  const wanted = options.cases.split(',').filter((number) => number !== '');
  const modes = options.modes.split(',') as Mode[];
  const cases = findCases(options.corpus, options.work);
  const chosen = cases.filter(
    ({ name }) => wanted.length === 0 || wanted.some((number) => name.startsWith(`${number}-`)),
  );
  const resultsFile = path.join(options.work, 'results.json');
  const results: Results = fs.existsSync(resultsFile)
    ? (JSON.parse(fs.readFileSync(resultsFile, 'utf8')) as Results)
    : {};
  for (const one of chosen) prepareCase(one);
  for (const mode of modes) {
    for (const one of chosen) {
      const made = (results[mode] ??= {});
      made[one.name] = runCase(one, mode, made[one.name]);
      fs.writeFileSync(resultsFile, JSON.stringify(results, undefined, 1));
      const page = fs.existsSync(options.output) ? fs.readFileSync(options.output, 'utf8') : '';
      fs.writeFileSync(options.output, renderTables(cases, results, page));
    }
  }
  for (const line of figuresOf(results)) console.log(line);
}

main();
