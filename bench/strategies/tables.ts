/**
 * The tables of docs/strategies.md: a row for each case, a column for each strategy.
 */

import fs from 'node:fs';
import path from 'node:path';
import { STRATEGIES } from '../../runtime/explore/strategies/names.js';
import { median } from '../figures.js';
import type { StrategyRun } from './child.js';

export interface CaseRuns {
  readonly buggy: readonly StrategyRun[];
  readonly fixed: readonly StrategyRun[];
}

/** What stands above the tables. */
const introduction = (): string =>
  fs.readFileSync(path.join(__dirname, '../../../bench/strategies/introduction.md'), 'utf8');

const HEADINGS: Readonly<Record<string, string>> = {
  fixed: 'Every delay at the middle of its range: nothing random is left in the tests',
  instant: 'Stand-ins that answer at once: nothing waits',
  random: 'As they stand: the tests draw their delays with Math.random',
};

/** By mode, then by the name of the case. */
export type StrategyResults = Record<string, Record<string, CaseRuns>>;

const STUBS = 2;

interface Cell {
  /** Median over the base seeds; Infinity when fewer than half of them found it. */
  readonly first: number;
  /** Over the base seeds; Infinity when one of them did not find it. */
  readonly latest: number;
  /** Of all trials. */
  readonly share: number;
  /** How many base seeds found it. */
  readonly found: number;
  readonly bases: number;
  readonly falseAlarms: number;
}

export function cellOf(runs: CaseRuns, strategy: string): Cell {
  const own = runs.buggy.filter((run) => run.strategy === strategy);
  const alarms = runs.fixed
    .filter((run) => run.strategy === strategy)
    .flatMap(({ failures }) => failures.filter(([, rung]) => rung <= STUBS));
  const known = new Set(alarms.flatMap(([, , ...signatures]) => signatures.map(anyVersion)));
  const counted = own.map(({ failures }) =>
    failures.filter(
      ([, rung, ...signatures]) =>
        rung <= STUBS && signatures.some((one) => !known.has(anyVersion(one))),
    ),
  );
  const firsts = counted.map((failures) => failures[0]?.[0] ?? Infinity);
  const trials = sum(own.map((run) => run.trials));
  return {
    first: median(firsts),
    latest: Math.max(...firsts),
    share: sum(counted.map((failures) => failures.length)) / trials,
    found: firsts.filter((first) => first < Infinity).length,
    bases: own.length,
    falseAlarms: alarms.length,
  };
}

/** A signature in which both versions of the package have one name. */
function anyVersion(signature: string): string {
  return signature.replaceAll('node_modules/fixed/', 'node_modules/buggy/');
}

export function renderStrategies(results: StrategyResults): string {
  const tables = Object.entries(results).map(([mode, cases]) => renderMode(mode, cases));
  return [introduction(), renderTotal(results), ...tables].join('\n');
}

/** All tables in one: what the default was chosen by. */
function renderTotal(results: StrategyResults): string {
  const all = Object.values(results).flatMap((cases) => Object.values(cases));
  const rows = strategiesIn(all).map((strategy) => {
    const { found, bases, mean, latest, share, alarms } = totalOf(all, strategy);
    const late = latest === Infinity ? '>' : latest;
    const cells = [strategy, `${found} of ${bases}`, mean.toFixed(2), late, percent(share), alarms];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '### All three together',
    '',
    '| strategy | runs that found it | mean first trial | latest | failing | false alarms |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function strategiesIn(cases: readonly CaseRuns[]): string[] {
  return STRATEGIES.filter((name) =>
    cases.some(({ buggy }) => buggy.some(({ strategy }) => strategy === name)),
  );
}

/** Over several cases. The mean is the geometric one: cases differ by orders of magnitude. */
function totalOf(cases: readonly CaseRuns[], strategy: string) {
  const cells = cases.map((runs) => cellOf(runs, strategy));
  const logs = cells.map(({ first }) => Math.log(Math.min(first, 1000)));
  return {
    found: sum(cells.map((cell) => cell.found)),
    bases: sum(cells.map((cell) => cell.bases)),
    mean: Math.exp(sum(logs) / cells.length),
    latest: Math.max(...cells.map((cell) => cell.latest)),
    share: sum(cells.map((cell) => cell.share)) / cells.length,
    alarms: sum(cells.map((cell) => cell.falseAlarms)),
  };
}

function renderMode(mode: string, cases: Record<string, CaseRuns>): string {
  const strategies = strategiesIn(Object.values(cases));
  const rows = Object.entries(cases).map(([name, runs]) => {
    const cells = strategies.map((strategy) => renderCell(cellOf(runs, strategy)));
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const totals = strategies.map((strategy) => {
    const { found, bases, mean, share, alarms } = totalOf(Object.values(cases), strategy);
    const rounded = mean.toFixed(1);
    return `${found} of ${bases}; mean ${rounded}; ${percent(share)}; false alarms: ${alarms}`;
  });
  return [
    `### ${HEADINGS[mode] ?? mode}`,
    '',
    `| case | ${strategies.join(' | ')} |`,
    `|---|${strategies.map(() => '---').join('|')}|`,
    ...rows,
    `| **total** | ${totals.join(' | ')} |`,
    '',
  ].join('\n');
}

function renderCell({ first, share, found, bases }: Cell): string {
  if (found === 0) return '–';
  const trial = first === Infinity ? '>' : String(first);
  return `${trial} (${percent(share)}${found < bases ? `, ${found}/${bases}` : ''})`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.01 ? 2 : 1)}%`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
