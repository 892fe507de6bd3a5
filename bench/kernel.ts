/**
 * What scenarios written against the kernel cost, beside the original's figures; and that the cost
 * of a run grows linearly with its events, and its memory not at all.
 *
 *     node dist/bench/kernel.js [--json] [--rounds=7] [--events=10000000] [--share=1] [--workers=2]
 *
 * The original was measured where a native `await null` costs 60 ns. Its figures and the limits are
 * scaled by what one costs here, measured in the same run. Scenarios are measured in turn, round by
 * round, and the figures are medians of the rounds.
 */

import { parseArgs } from 'node:util';
import { mix } from '../runtime/kernel/hash.js';
import { drain } from '../runtime/node/drain.js';
import { figure, median, printFigures, type Figure } from './figures.js';
import { onItsOwn } from './on-its-own.js';
import { longRun, warmUp } from './kernel/linear.js';
import { sweepRaft } from './kernel/raft-sweep.js';
import type { Scenario } from './kernel/scenario.js';
import { SCENARIOS } from './kernel/scenarios.js';

/** What a native `await null` costs where the original was measured, in nanoseconds. */
const NATIVE_THERE = 60;

const AWAITS = 200_000;
const SWEEP_SEEDS = 5000;

export interface KernelSize {
  readonly rounds: number;
  /** The share of its runs that a scenario makes in a round. */
  readonly share: number;
  /** The most events of a single run. */
  readonly events: number;
  /** Among how many threads the sweep is divided. */
  readonly workers: number;
}

interface Measured {
  /** Of each round. */
  readonly nanoseconds: number[];
  work: number;
  deliveries: number;
  simulated: number;
  runs: number;
}

export async function benchKernel(size: KernelSize): Promise<{ figures: Figure[]; work: string }> {
  const { measured, native } = await onItsOwn(() => measureRounds(size));
  const figures = [
    figure({ bench: 'kernel', figure: 'native await', value: native, unit: 'ns' }),
    ...SCENARIOS.map((scenario) => figureOf(scenario, measured.get(scenario)!, native)),
    await sweepFigure(size, native),
    ...(await onItsOwn(() => linearFigures(size.events))),
  ];
  const work = [...measured.values()].map((one) => (one.work >>> 0).toString(16)).join('-');
  return { figures, work };
}

function measureRounds(size: KernelSize): { measured: Map<Scenario, Measured>; native: number } {
  const measured = new Map<Scenario, Measured>();
  const natives: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= size.rounds; round++) {
    const native = nativeAwait();
    if (round > 0) natives.push(native);
    for (const scenario of SCENARIOS) {
      const one = runScenario(scenario, Math.max(1, Math.ceil(scenario.runs * size.share)));
      if (round === 0) measured.set(scenario, { ...one, nanoseconds: [] });
      else measured.get(scenario)!.nanoseconds.push(...one.nanoseconds);
    }
  }
  return { measured, native: median(natives) };
}

function runScenario(scenario: Scenario, runs: number): Measured {
  const one: Measured = { nanoseconds: [], work: 0, deliveries: 0, simulated: 0, runs };
  const before = cpu();
  for (let seed = 1; seed <= runs; seed++) {
    const { hash, deliveries = 0, simulated = 0 } = scenario.run(seed);
    one.work = mix(one.work, hash);
    one.deliveries += deliveries;
    one.simulated += simulated;
  }
  one.nanoseconds.push((cpu() - before) / runs);
  return one;
}

function figureOf(scenario: Scenario, measured: Measured, native: number): Figure {
  const { name, original, limit } = scenario;
  const scale = native / NATIVE_THERE / 1000;
  return figure({
    bench: 'kernel',
    figure: `${name}${workOf(measured)}`,
    value: median(measured.nanoseconds) / 1000,
    unit: 'µs',
    ...(original === undefined ? {} : { against: { original: original * scale } }),
    ...(limit === undefined ? {} : { limit: `at most ${(limit * scale).toPrecision(3)} µs` }),
  });
}

/** What a run did on average: ` (799 deliveries, 8 s)`. */
function workOf({ deliveries, simulated, runs }: Measured): string {
  const parts = [
    ...(deliveries === 0 ? [] : [`${(deliveries / runs).toFixed(0)} deliveries`]),
    ...(simulated === 0 ? [] : [`${(simulated / runs / 1e9).toPrecision(2)} s`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** The sweep of the original's test: it took 5.4 s on one core. */
async function sweepFigure({ share, workers }: KernelSize, native: number): Promise<Figure> {
  const seeds = Math.ceil(SWEEP_SEEDS * share);
  const { deliveries, milliseconds } = await sweepRaft(1000, seeds, workers);
  const scale = (native / NATIVE_THERE) * (seeds / SWEEP_SEEDS);
  return figure({
    bench: 'kernel',
    figure:
      `raft: ${seeds.toLocaleString('en')} seeds, ${workers} threads ` +
      `(${(deliveries / seeds).toFixed(0)} deliveries each)`,
    value: milliseconds / 1000,
    unit: 's',
    against: { 'original on one core': 5.37 * scale },
    limit: `at most ${(1.5 * scale).toPrecision(3)} s on two cores`,
  });
}

function linearFigures(most: number): Figure[] {
  warmUp();
  const figures: Figure[] = [];
  let first: ReturnType<typeof longRun> | undefined;
  for (let events = 10_000; events <= most; events *= 10) {
    const run = longRun(events);
    first ??= run;
    const title = `a run of ${events.toLocaleString('en')} events`;
    const shortest = { 'the shortest run': first.perEvent };
    figures.push(
      figure({
        bench: 'kernel',
        figure: `${title}, each`,
        value: run.perEvent,
        unit: 'ns',
        against: shortest,
      }),
      figure({
        bench: 'kernel',
        figure: `${title}, memory at its end`,
        value: run.memory / 2 ** 20,
        unit: 'MiB',
        against: { 'the shortest run': first.memory / 2 ** 20 },
      }),
    );
  }
  return figures;
}

/** Nanoseconds of one native `await null`. */
function nativeAwait(): number {
  const before = cpu();
  void awaitNull(AWAITS);
  drain();
  return (cpu() - before) / AWAITS;
}

async function awaitNull(times: number): Promise<void> {
  for (let i = 0; i < times; i++) await null;
}

/** CPU time of the process in nanoseconds, so that what else runs here counts for little. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '7' },
      events: { type: 'string', default: '10000000' },
      share: { type: 'string', default: '1' },
      workers: { type: 'string', default: '2' },
    },
  });
  const { figures, work } = await benchKernel({
    rounds: Number(values.rounds),
    events: Number(values.events),
    share: Number(values.share),
    workers: Number(values.workers),
  });
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}

if (require.main === module) void main();
