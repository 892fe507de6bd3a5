/**
 * Replays a seed or a schedule in one test file, inside the worker of a test runner: what its own
 * runner shows is what the trial came to.
 */

import type { TestResult, TrialResult } from '../../runtime/mocha/types.js';
import type { RunnerSettings } from '../../runtime/runners/adapters.js';
import type { AdapterName } from '../../runtime/runners/names.js';
import { realPath } from '../overlay/disk.js';
import { profileOf, projectRunner } from './project-runner.js';
import { planFor } from './take-over.js';

/** Whether the environment asks for a replay. */
export function isReplay({ DETSIM_SEED, DETSIM_REPLAY }: NodeJS.ProcessEnv): boolean {
  return Boolean(DETSIM_SEED || DETSIM_REPLAY);
}

export interface FileReplay {
  readonly runner: AdapterName;
  /** Absolute. */
  readonly file: string;
  readonly settings?: RunnerSettings;
  /** Which tests to run, by their full titles. */
  readonly grep: RegExp | undefined;
}

/**
 * Runs the file as a sweep does: the empty schedule first, which tells where to deviate.
 * @throws an error for the user when a variable cannot be read, or the file does not load
 */
export async function replayFile(
  { runner: name, file: given, settings, grep }: FileReplay,
  environment: NodeJS.ProcessEnv,
): Promise<TrialResult> {
  const planOf = planFor(environment);
  const file = realPath(given);
  const how = { runner: name, ...(settings && { runnerSettings: settings }) };
  const runner = projectRunner(environment, [file], how);
  const select = grep === undefined ? {} : { grep: { pattern: grep, invert: false } };
  const plan = planOf(await profileOf(runner, file));
  const result = await runner.runAsync({ file, plan, ...select, console: 'swallow' });
  if (result.output !== '') process.stdout.write(result.output);
  if (result.loadError !== undefined) throw asError(result.loadError);
  return result;
}

/** What a test has failed with, as an error. */
export function asError(failure: NonNullable<TestResult['failure']>): Error {
  const { error, name, message, stack } = failure;
  if (error instanceof Error) return error;
  return Object.assign(new Error(message), { name, stack: stack || `${name}: ${message}` });
}
