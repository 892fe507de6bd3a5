/**
 * Runs trials of spec files with their seeds, and prints all that came of them, traces included.
 *
 *     node sweep-child.js TRIALS FILE...
 */

import fs from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../cli/config.js';
import { findRoot } from '../../cli/overlay/project.js';
import { createRunner } from '../../cli/worker/runner.js';
import { record, traceOf } from '../../runtime/explore/investigate.js';
import { emptyPlan, rungOfTrial, seedOf, seedPlan } from '../../runtime/explore/plan.js';
import { profileRecorder } from '../../runtime/explore/profile.js';
import { SEEDED } from '../../runtime/explore/strategies/index.js';
import { ANY } from '../../runtime/kernel/rung.js';
import type { TrialResult } from '../../runtime/mocha/types.js';
import { formatTrace } from '../../runtime/trace/format.js';

const { writeSync } = fs;

async function sweep(file: string, trials: number): Promise<void> {
  const root = findRoot(path.dirname(file));
  const { config } = loadConfig(root);
  const setup = { root, config, specs: [file], grep: undefined, seed: 0, order: ANY, maxStall: 10 };
  const runner = createRunner({ ...setup, isolate: 'modules' }, 'modules');
  const { recorder, profile } = profileRecorder();
  const warmUp = await runner.runAsync({
    file,
    plan: emptyPlan,
    console: 'swallow',
    observe: ({ loop }) => void (loop.recorder = recorder),
  });
  print(summary(0, warmUp));
  for (let trial = 1; trial <= trials; trial++) {
    const strategy = SEEDED[trial % SEEDED.length];
    const seed = trial === 1 ? 0 : seedOf(0, trial, rungOfTrial(trial, ANY), strategy);
    const recorded = await record(
      (plan, only, observe) =>
        runner.runAsync({ file, plan, console: 'swallow', ...(only && { only }), observe }),
      seedPlan(seed, profile),
      undefined,
    );
    print(summary(seed, recorded.result));
    const name = path.relative(root, file);
    print(formatTrace(traceOf(recorded, { file: name, test: '', of: { seed } })));
  }
}

function summary(seed: number, result: TrialResult): string {
  const { digest, choices, steps, virtualNs, output } = result;
  const tests = result.tests.map(({ failure, ...test }) => ({
    ...test,
    failure: failure && { kind: failure.kind, message: failure.message, site: failure.site },
  }));
  return JSON.stringify({ seed, digest, choices, steps, virtualNs, output, tests });
}

function print(text: string): void {
  for (let rest = Buffer.from(`${text}\n`); rest.length > 0;) rest = rest.subarray(writeAll(rest));
}

/** A pipe that is full takes less than it is given, or nothing. */
function writeAll(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

async function main(trials: number, files: readonly string[]): Promise<void> {
  for (const file of files) await sweep(file, trials);
}

void main(Number(process.argv[2]), process.argv.slice(3));
