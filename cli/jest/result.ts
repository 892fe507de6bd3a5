/** A trial as jest's test result. */

import type { TestResult } from '../../runtime/mocha/types.js';
import { asError, replayFile } from '../register/replay-file.js';

/** What of jest's configuration matters here. */
export interface GlobalConfig {
  readonly testNamePattern?: string;
  readonly testTimeout?: number;
}

export interface ProjectConfig {
  readonly rootDir: string;
  readonly setupFiles?: readonly string[];
  readonly setupFilesAfterEnv?: readonly string[];
  readonly injectGlobals?: boolean;
  readonly displayName?: unknown;
}

const DEFAULT_TIMEOUT_MS = 5000;

/** Replays the file that jest wants to run. */
export async function replayResult(
  { testNamePattern, testTimeout = DEFAULT_TIMEOUT_MS }: GlobalConfig,
  { setupFiles = [], setupFilesAfterEnv = [], injectGlobals = true, displayName }: ProjectConfig,
  file: string,
): Promise<object> {
  const start = Date.now();
  const setup = [...setupFiles, ...setupFilesAfterEnv].filter((f) => !/node_modules/.test(f));
  const timeouts = { testTimeout, hookTimeout: testTimeout };
  const { tests } = await replayFile(
    {
      runner: 'jest',
      file,
      settings: { setupFiles: setup, globals: injectGlobals, ...timeouts },
      grep: testNamePattern ? new RegExp(testNamePattern, 'i') : undefined,
    },
    process.env,
  );
  const end = Date.now();
  const count = (state: string): number => tests.filter((test) => test.state === state).length;
  const failed = tests.filter((test) => test.state === 'failed');
  return {
    leaks: false,
    numFailingTests: failed.length,
    numPassingTests: count('passed'),
    numPendingTests: count('pending') + count('skipped'),
    numTodoTests: 0,
    openHandles: [],
    perfStats: { start, end, runtime: end - start, slow: false },
    skipped: false,
    snapshot: {
      ...{ added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [] },
      ...{ unmatched: 0, updated: 0 },
    },
    displayName,
    testFilePath: file,
    testResults: tests.map(assertionResult),
    failureMessage: failed.length === 0 ? null : failed.map(shown).join('\n'),
  };
}

function assertionResult(test: TestResult): object {
  const { state, failure, path = [test.title] } = test;
  const error = failure === undefined ? undefined : asError(failure);
  return {
    ancestorTitles: path.slice(0, -1),
    title: path.at(-1),
    fullName: test.title,
    status: state === 'skipped' ? 'pending' : state,
    duration: Math.round(test.virtualNs / 1e6),
    failureDetails: error === undefined ? [] : [error],
    failureMessages: error === undefined ? [] : [error.stack ?? String(error)],
    invocations: 1,
    location: null,
    numPassingAsserts: 0,
    retryReasons: [],
  };
}

function shown({ failure, path = [], title }: TestResult): string {
  const { stack, message } = failure!;
  const lines = (stack === '' ? message : stack).split('\n').map((line) => `    ${line}`);
  return [`  ● ${path.length === 0 ? title : path.join(' › ')}`, '', ...lines, ''].join('\n');
}
