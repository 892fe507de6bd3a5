/**
 * What an await costs: native, instrumented outside a simulation, inside one, and held there; and
 * scheduling decisions against fast-check's scheduler.
 *
 *     node dist/bench/await.js [--json] [--awaits=200000] [--runs=2000] [--rounds=7]
 *
 * All are measured in turn, round by round, and the figures are medians of the rounds.
 */

import { parseArgs } from 'node:util';
import {
  DECISIONS,
  fastCheckCounters,
  heldCounters,
  loops,
  simulatedLoops,
  strategies,
  type Measured,
} from './await/measure.js';
import { instrumentedPrograms, plainPrograms } from './await/programs.js';
import { figure, median, printFigures, type Figure } from './figures.js';
import { onItsOwn } from './on-its-own.js';

/** Tasks that await at the same time. */
const TASKS = 5;
/** fast-check gets so many times fewer runs, so that it takes about as long. */
const FAST_CHECK_SHARE = 10;

export interface AwaitSize {
  /** Awaits of each loop. */
  readonly awaits: number;
  /** Runs of the counter. */
  readonly runs: number;
  readonly rounds: number;
}

/** The measurements of one round, by name. */
type Round = Record<(typeof names)[number], Measured>;
const names = ['native', 'outside', 'default', 'held', 'decisions', 'fast-check'] as const;

export async function benchAwait(size: AwaitSize): Promise<{ figures: Figure[]; work: string }> {
  const plain = plainPrograms();
  const instrumented = instrumentedPrograms();
  const fastCheckRuns = Math.ceil(size.runs / FAST_CHECK_SHARE);
  const times = Math.ceil(size.awaits / TASKS);
  const rounds: Round[] = [];
  // The first round warms up.
  for (let i = 0; i <= size.rounds; i++) {
    const round: Round = {
      native: await onItsOwn(() => loops(plain, TASKS, times)),
      outside: await onItsOwn(() => loops(instrumented, TASKS, times)),
      default: await onItsOwn(() => simulatedLoops(instrumented, TASKS, times, strategies.default)),
      held: await onItsOwn(() => simulatedLoops(instrumented, TASKS, times, strategies.held)),
      decisions: await onItsOwn(() => heldCounters(instrumented, size.runs)),
      'fast-check': await fastCheckCounters(plain, fastCheckRuns),
    };
    if (i > 0) rounds.push(round);
  }
  const per = (name: keyof Round, units: number): number =>
    median(rounds.map((round) => round[name].nanoseconds)) / units;
  const work = names.map((name) => (rounds[0][name].work >>> 0).toString(16)).join('-');
  return { figures: figuresOf(per, times * TASKS, size.runs, fastCheckRuns), work };
}

function figuresOf(
  per: (name: keyof Round, units: number) => number,
  awaits: number,
  runs: number,
  fastCheckRuns: number,
): Figure[] {
  const native = { 'native await': per('native', awaits) };
  const one = (name: keyof Round, title: string, limit?: string): Figure =>
    figure({
      bench: 'await',
      figure: title,
      value: per(name, awaits),
      unit: 'ns',
      against: native,
      ...(limit === undefined ? {} : { limit }),
    });
  return [
    figure({ bench: 'await', figure: 'native await', value: native['native await'], unit: 'ns' }),
    one('outside', 'instrumented, outside a simulation', 'at most 1.3 x native'),
    one('default', 'in a simulation, not held'),
    one('held', 'in a simulation, every await held', 'at most 5 x native'),
    figure({
      bench: 'await',
      figure: 'scheduling decisions',
      value: 1e9 / per('decisions', runs * DECISIONS),
      unit: '/s',
      against: { 'fast-check scheduler': 1e9 / per('fast-check', fastCheckRuns * DECISIONS) },
      limit: 'at least 20 x fast-check',
    }),
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      awaits: { type: 'string', default: '200000' },
      runs: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '7' },
    },
  });
  const { figures, work } = await benchAwait({
    awaits: Number(values.awaits),
    runs: Number(values.runs),
    rounds: Number(values.rounds),
  });
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
