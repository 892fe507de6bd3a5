/**
 * The tables of docs/strategies.md: a row for each case, a column for each strategy.
 */

import { STRATEGIES } from '../../runtime/explore/strategies/names.js';
import type { StrategyRun } from './child.js';

export interface CaseRuns {
  readonly buggy: readonly StrategyRun[];
  readonly fixed: readonly StrategyRun[];
}

const INTRODUCTION = `# Strategies

What proposes deviations from plain Node is a _strategy_. The default is the portfolio, which shares
the trials of a test file among all that a seed can name; \`--strategy=NAME\` takes one for all trials.

| name | what it does | source |
|---|---|---|
| \`random\` | each choice deviates with one probability, drawn for the trial | the baseline of Thomson, Donaldson and Betts, PPoPP 2014 |
| \`delay-bounded\` | one to four deviations, placed uniformly over the choices of the test | Emmi, Qadeer and Rakamarić, POPL 2011 |
| \`pct\` | tasks have random priorities; at up to three random steps the one that would go on falls below all others | Burckhardt and others, ASPLOS 2010 |
| \`pos\` | each step that is ready has a random priority; those that race with the step taken draw a new one | Yuan, Yang and Gu, CAV 2018 |
| \`surw\` | a task is picked in proportion to the steps it still has, which samples all interleavings of independent tasks uniformly | Zhao, Wolff, Mathur and Roychoudhury, ASPLOS 2025 |
| \`exhaustive\` | every order, one after the other, and says so when it has run all | Godefroid, POPL 1997 |
| \`novelty\` | changes schedules that showed something new, until nothing new comes | see below |
| \`portfolio\` | all of the first five in turns | |

The first two draw delays. Half of their trials draw them so that a step goes on just after something
else that the test does when nothing deviates. The others _hold_ every step that the rung of the trial
lets deviate (on \`stubs\`, what stand-ins return and their timers), and pick which goes on; time
may pass as well while steps are held, but in a whole test by no more than one delay could. What was
held becomes a delay in the schedule like any other, so that minimizing, replay and the printed
schedule are the same for all strategies.

On the rung \`node\` nothing can be held: there \`random\` and \`delay-bounded\` stand in.

## The portfolio

Half of the trials are shared in fixed parts, the other half goes to the strategies that have shown
most that is new: an order of events or a way of failing that no earlier trial had. This is decided at
fixed points from the results of trials that are complete by then, so that a sweep runs the same trials
with one worker or with many. A seed holds its strategy and its rung in its last five bits, and replays
without the sweep it comes from.

## Exhaustive

\`--strategy=exhaustive\` runs all orders in which the steps of a test can go on, at most as many as
\`--trials\` says, and reports "all 6 schedules explored" when there are no more. For independent
tasks that is the number of ways to interleave them: \`(kn)! / (n!)^k\` for k tasks of n steps. It
counts the steps that the rung lets deviate, so name one: \`--order=stubs\` covers the orders in which
stand-ins answer, \`--order=any\` every await. Each test of a file is enumerated for itself. Nothing
is pruned.

## Novelty

\`--novelty\` explores each test until new shapes of its schedules stop appearing. The _shape_ of a run
is which step followed which, by task and place in the source, without the times. The search keeps the
schedules that showed a new shape and changes them in one to four places, or draws a new one from the
strategies above. It ends when of the last 1,000 trials (20 for each shape where there are few) no more
than one in 200 was new, and says how much is left: "6 shapes, 2 outcomes; 0 new shapes in the last 120
trials; about 100% of the mass seen". That share is the estimate of Good and Turing, one minus the share
of trials whose shape came up once. A test without a choice ends after one trial.

The trials of \`exhaustive\` and \`novelty\` depend on those before them, so they have no seeds: a
finding is reported with its schedule.

## What was measured

Real bugs of real packages (see [corpus.md](corpus.md)), with yield points in the package. Each cell is
the first trial that fails with the bug, the median of three base seeds, and the share of 100 trials
each that fail with it. Only failures on \`stubs\` or below count, and only those that the fixed version
of the package does not show. The last row has how many of the runs found the bug, the geometric mean of
the medians, the mean share, and **false alarms**: failing trials of the fixed versions, in 100 trials
for each. One trial in four is on rung \`node\`, whatever the strategy. The tables are written by
\`bench/strategies.ts\`.
`;

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
  return [INTRODUCTION, ...tables].join('\n');
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
