/**
 * The command that runs a call of `simulate` again: that of the test runner around it, with the
 * schedule in an environment variable.
 */

import path from 'node:path';
import process from 'node:process';
import type { Origin } from '../explore/origin.js';
import { assign, quote } from '../explore/quote.js';

/** The variable that `simulate` reads; it holds a seed or a schedule. */
export const VARIABLE = 'DETSIM_SIMULATE';

/** Where jest and vitest keep the state of `expect`, the name of the running test among it. */
const EXPECT_STATES = [Symbol.for('expect-global'), Symbol.for('$$jest-matchers-object')];

/** Mocha's own scripts, and the link that npm makes to them. */
const MOCHA = /[\\/](?:\.bin[\\/]_?mocha|mocha[\\/](?:bin|lib)[\\/].*)$/;

interface RunningTest {
  readonly currentTestName?: string;
  readonly testPath?: string;
}

export function replayLine(of: Origin): string {
  const value = 'seed' in of ? String(of.seed) : of.schedule;
  return [assign(VARIABLE, value), ...runnerCommand(process.env)].join(' ');
}

function runnerCommand(environment: NodeJS.ProcessEnv): string[] {
  const test = runningTest();
  if (environment['VITEST'] !== undefined) return ['npx', 'vitest', 'run', ...selection(test)];
  if (environment['JEST_WORKER_ID'] !== undefined) return ['npx', 'jest', ...selection(test)];
  const [, script = '', ...args] = process.argv;
  if (MOCHA.test(script)) return ['npx', 'mocha', ...args.map(quote)];
  // The options with which `node --test` starts a file are for its own ears.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--test-'));
  return ['node', ...flags.map(quote), quote(relative(script)), ...args.map(quote)];
}

function selection({ testPath, currentTestName }: RunningTest): string[] {
  return [
    ...(testPath === undefined ? [] : [quote(relative(testPath))]),
    ...(currentTestName === undefined ? [] : ['-t', always(pattern(currentTestName))]),
  ];
}

/** Both runners look for a regular expression in titles that are joined by spaces. */
function pattern(title: string): string {
  return title.replaceAll(' > ', ' ').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function always(word: string): string {
  const quoted = quote(word);
  return quoted === word ? `"${word}"` : quoted;
}

function runningTest(): RunningTest {
  const globals = globalThis as Record<symbol | string, unknown>;
  for (const key of EXPECT_STATES) {
    const found = globals[key] as { getState?(): RunningTest; state?: RunningTest } | undefined;
    const state = found?.getState?.() ?? found?.state;
    if (state?.testPath !== undefined) return state;
  }
  return {};
}

function relative(file: string): string {
  const name = path.relative(process.cwd(), file);
  return name === '' || name.startsWith('..') ? file : name.split(path.sep).join('/');
}
