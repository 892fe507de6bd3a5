/**
 * The tables of docs/strategies.md: a row for each case, a column for each strategy.
 */

import fs from 'node:fs';
import path from 'node:path';
import { STRATEGIES } from '../../runtime/explore/strategies/names.js';
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
  const firsts = counted.map((failures) => failures[0]?.[0] ?? Infinity).sort((a, b) => a - b);
  const trials = sum(own.map((run) => run.trials));
  return {
    first: firsts[Math.floor(firsts.length / 2)] ?? Infinity,
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
  return [introduction(), ...tables].join('\n');
}

function renderMode(mode: string, cases: Record<string, CaseRuns>): string {
  const strategies = STRATEGIES.filter((name) =>
    Object.values(cases).some(({ buggy }) => buggy.some(({ strategy }) => strategy === name)),
  );
  const table = Object.entries(cases).map(([name, runs]) => ({
    name,
    cells: strategies.map((strategy) => cellOf(runs, strategy)),
  }));
  const rows = table.map(
    ({ name, cells }) => `| ${[name, ...cells.map(renderCell)].join(' | ')} |`,
  );
  const totals = strategies.map((_, i) => {
    const column = table.map(({ cells }) => cells[i]);
    const found = sum(column.map((cell) => cell.found));
    const bases = sum(column.map((cell) => cell.bases));
    // The geometric mean: cases differ by orders of magnitude.
    const mean = Math.exp(
      sum(column.map((cell) => Math.log(Math.min(cell.first, 1000)))) / column.length,
    );
    const share = sum(column.map((cell) => cell.share)) / column.length;
    const alarms = sum(column.map((cell) => cell.falseAlarms));
    return (
      `${found} of ${bases}; mean ${mean.toFixed(1)}; ${percent(share)}; ` +
      `false alarms: ${alarms}`
    );
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
