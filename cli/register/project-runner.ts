/**
 * The trial runner of a replay inside a test runner's own process: what a sweep's workers run, made
 * from the project's config and the environment.
 */

import { emptyPlan } from '../../runtime/explore/plan.js';
import { profileRecorder, type Profile } from '../../runtime/explore/profile.js';
import { TrialRunner } from '../../runtime/mocha/trial-runner.js';
import type { TrialOptions } from '../../runtime/mocha/types.js';
import { resolveFaults } from '../../runtime/node/fault-settings.js';
import { loadConfig } from '../config.js';
import { fromEnvironment, withOptions } from '../environment.js';
import { Overlay } from '../overlay/overlay.js';
import { findRoot, Project } from '../overlay/project.js';

/**
 * @param tests absolute paths of the test files
 * @param how which test runner it is, with its settings
 */
export function projectRunner(
  environment: NodeJS.ProcessEnv,
  tests: readonly string[],
  how: Partial<Pick<TrialOptions, 'mocha' | 'runner' | 'runnerSettings'>>,
): TrialRunner {
  const root = findRoot(process.cwd());
  const config = withOptions(loadConfig(root).config, fromEnvironment(environment));
  return new TrialRunner({
    root,
    overlay: new Overlay(new Project(root, config), { tests: [...tests] }),
    isolate: config.isolate === 'all' ? 'all' : 'modules',
    ...how,
    maxStallMs: config.maxStall,
    faults: resolveFaults(config.faults ?? {}),
    unreachable: config.unreachable,
  });
}

/**
 * Runs a file as plain Node does, which tells where a seed deviates. The second run counts, as in a
 * sweep: some packages do something the first time only.
 */
export async function profileOf(runner: TrialRunner, file: string): Promise<Profile> {
  await runner.runAsync({ file, plan: emptyPlan, console: 'swallow' });
  const { recorder, profile } = profileRecorder();
  await runner.runAsync({
    file,
    plan: emptyPlan,
    observe: ({ loop }) => void (loop.recorder = recorder),
    console: 'swallow',
  });
  return profile;
}
