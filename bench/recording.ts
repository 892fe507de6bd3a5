/**
 * What recording a trace costs, beside the same trials without; and how long it takes to minimize a
 * finding whose trace has 2,000 decisions.
 *
 *     node dist/bench/recording.js [--json] [--trials=10] [--rounds=200]
 *
 * The trials run in this process with the code of a worker, by turns with and without a recorder, a
 * few of each at a time so that a machine that is busy disturbs both alike. The figures are medians
 * of the rounds.
 */

import { parseArgs } from 'node:util';
import { profileRecorder } from '../runtime/explore/profile.js';
import { emptyPlan, seedOf, seedPlan } from '../runtime/explore/plan.js';
import { NODE, STUBS } from '../runtime/kernel/rung.js';
import { TraceRecorder } from '../runtime/trace/record.js';
import { createRunner } from '../cli/worker/runner.js';
import type { WarmUp } from '../cli/sweep/protocol.js';
import type { Investigation } from '../cli/sweep/investigation.js';
import { Engine } from '../cli/worker/engine.js';
import { figure, median, printFigures, type Figure } from './figures.js';
import { LONG_SPEC } from './recording/long.js';
import { inProject, setupFor } from './sweep/project.js';

export interface RecordingSize {
  readonly trials: number;
  readonly rounds: number;
}

export async function benchRecording({ trials, rounds }: RecordingSize): Promise<Figure[]> {
  const overhead = await inProject((root) => measureOverhead(root, trials, rounds));
  const minimizing = await inProject(
    (root) => measureMinimizing(root, Math.min(rounds, MINIMIZED)),
    {
      'test/long.test.ts': LONG_SPEC,
    },
  );
  return [
    figure({
      bench: 'recording',
      figure: 'a trial that is recorded',
      value: overhead.recorded,
      unit: 'ms',
      against: { 'one that is not': overhead.plain },
    }),
    figure({
      bench: 'recording',
      figure: 'share of the time, were every trial of a sweep recorded',
      value: 100 * (1 - overhead.plain / overhead.recorded),
      unit: '%',
      limit: 'at most 15%; a sweep records only what it investigates',
    }),
    figure({
      bench: 'recording',
      figure: `minimizing a trace of ${minimizing.decisions} decisions`,
      value: minimizing.seconds,
      unit: 's',
      limit: 'at most 2 s',
    }),
  ];
}

/** How often a finding is minimized. */
const MINIMIZED = 5;

/** Trials of the project of bench/sweep.ts. @returns milliseconds of each */
async function measureOverhead(
  root: string,
  trials: number,
  rounds: number,
): Promise<{ recorded: number; plain: number }> {
  const setup = setupFor(root);
  const [file] = setup.specs;
  const runner = createRunner(setup, 'modules');
  const { recorder, profile } = profileRecorder();
  await runner.runAsync({
    file,
    plan: emptyPlan,
    console: 'swallow',
    observe: ({ loop }) => void (loop.recorder = recorder),
  });
  let next = 2;
  const run = async (recording: boolean): Promise<number> => {
    const started = process.hrtime.bigint();
    for (let i = 0; i < trials; i++) {
      const trial = next++;
      const seed = seedOf(0, trial, trial % 2 === 0 ? NODE : STUBS, 'random');
      const plan = seedPlan(seed, profile);
      if (!recording) {
        await runner.runAsync({ file, plan, console: 'swallow' });
        continue;
      }
      const trace = new TraceRecorder();
      await runner.runAsync({
        file,
        plan,
        console: 'swallow',
        observe: (scheduler) => void trace.attach(scheduler),
      });
      trace.close();
    }
    return Number(process.hrtime.bigint() - started) / 1e6 / trials;
  };
  for (const recording of [false, true]) await run(recording);
  const recorded: number[] = [];
  const plain: number[] = [];
  for (let i = 0; i < rounds; i++) {
    plain.push(await run(false));
    recorded.push(await run(true));
  }
  return { recorded: median(recorded), plain: median(plain) };
}

/** Minimizes the same failing seed several times. */
async function measureMinimizing(
  root: string,
  rounds: number,
): Promise<{ decisions: number; seconds: number }> {
  const setup = { ...setupFor(root, 'test/long.test.ts'), order: STUBS };
  const [file] = setup.specs;
  let failing: { seed: number; signature: string; title: string } | undefined;
  const engine = new Engine(setup, (message) => {
    if (message.type !== 'results') return;
    const { failing: trials, failures } = message.results;
    if (trials.length === 0) return;
    const [trial, which] = trials[0];
    const { signature, title } = failures[which];
    failing ??= { seed: seedOf(0, trial, STUBS, 'random'), signature, title };
  });
  const job = { file, isolate: 'modules' } as const;
  const { profile, digest } = (await engine.run({ kind: 'warm-up', ...job })) as WarmUp;
  const seeds = Array.from({ length: 100 }, (_, i) => seedOf(0, 2 + i, STUBS, 'random'));
  const range = { from: 2, to: 101, seeds, search: undefined, carefulMs: undefined };
  await engine.run({ kind: 'trials', ...job, ...range, profile, digest });
  if (failing === undefined) throw new Error('no seed of the benchmark fails');
  const { seed, signature, title } = failing;
  let decisions = 0;
  const seconds: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const started = process.hrtime.bigint();
    const investigation = (await engine.run({
      kind: 'investigate',
      ...job,
      of: { seed },
      title,
      signature,
      minimize: true,
    })) as Investigation;
    seconds.push(Number(process.hrtime.bigint() - started) / 1e9);
    decisions = investigation.recorded!.decisions;
    if ((investigation.minimized?.deviations ?? 99) > 4) throw new Error('it is not minimal');
  }
  return { decisions, seconds: median(seconds) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      trials: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '200' },
    },
  });
  const size = { trials: Number(values.trials), rounds: Number(values.rounds) };
  printFigures(await benchRecording(size), values.json);
}

if (require.main === module) void main();
