/**
 * The runner that vitest loads for a replay: a file is not imported but run in a trial, and each of
 * its tests is declared to vitest with the outcome that it had.
 */

import { createRequire } from 'node:module';
import path from 'node:path';
import type { TestResult } from '../../runtime/mocha/types.js';
import { loadVitest } from '../../runtime/runners/vitest/package.js';
import { asError, replayFile } from '../register/replay-file.js';

interface Vitest {
  readonly TestRunner?: RunnerClass;
  describe(name: string, fn: () => void): void;
  test(name: string, fn: (context: { skip(reason?: string): void }) => void): void;
}

interface WorkerConfig {
  readonly setupFiles: readonly string[];
  readonly globals: boolean;
  readonly hookTimeout: number;
}

type RunnerClass = new (config: WorkerConfig) => {
  readonly config: WorkerConfig;
  importFile(file: string, source: string): unknown;
};

const vitest = loadVitest(process.cwd()) as unknown as Vitest;

function olderRunner(): RunnerClass {
  const require = createRequire(path.join(process.cwd(), 'package.json'));
  return (require('vitest/runners') as { VitestTestRunner: RunnerClass }).VitestTestRunner;
}

const Base = vitest.TestRunner ?? olderRunner();

/** The usual timeout of a test: the one of the replay's configuration is off. */
const TEST_TIMEOUT_MS = 5000;

export default class ReplayRunner extends Base {
  override async importFile(file: string, source: string): Promise<void> {
    if (source !== 'collect') return;
    const { globals, hookTimeout } = this.config;
    const { tests } = await replayFile(
      {
        runner: 'vitest',
        file,
        settings: {
          setupFiles: this.config.setupFiles,
          globals,
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout,
        },
        // Vitest selects by itself among what is declared.
        grep: undefined,
      },
      process.env,
    );
    for (const test of tests) declare(test, test.path ?? [test.title]);
  }
}

function declare(test: TestResult, [name, ...rest]: readonly string[]): void {
  if (rest.length > 0) return vitest.describe(name!, () => declare(test, rest));
  vitest.test(name!, (context) => {
    if (test.failure !== undefined && test.state === 'failed') throw asError(test.failure);
    if (test.state !== 'passed') context.skip(test.skipReason);
  });
}
