/**
 * Makes the trial runner of a worker from what the coordinator says of the project.
 */

import { loadMocha } from '../../runtime/mocha/mocha-package.js';
import { loadOptions } from '../../runtime/mocha/options.js';
import { TrialRunner } from '../../runtime/mocha/trial-runner.js';
import { resolveFaults } from '../../runtime/node/fault-settings.js';
import { UserError } from '../errors.js';
import { titlePattern } from '../values.js';
import { Overlay } from '../overlay/overlay.js';
import { Project } from '../overlay/project.js';
import type { ProjectSetup } from '../project.js';
import type { Isolation } from '../values.js';

export type { TrialRunner };

/**
 * Loads mocha and the project's `--require` files.
 * @throws UserError when one of them cannot be loaded
 */
export function createRunner(setup: ProjectSetup, isolate: Isolation): TrialRunner {
  const { root, config, specs } = setup;
  const overlay = new Overlay(new Project(root, config), { tests: specs });
  try {
    const runner = new TrialRunner({
      root,
      overlay,
      // A process that runs one trial needs no fresh packages.
      isolate: isolate === 'all' ? 'all' : 'modules',
      ...runnerOptions(setup),
      maxStallMs: setup.maxStall,
      faults: resolveFaults(config.faults ?? {}),
      unreachable: config.unreachable,
    });
    runner.load();
    return runner;
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}

/** What a trial runner is told of the test runner and its selection of tests. */
function runnerOptions({ root, grep, runner = { name: 'mocha' } }: ProjectSetup) {
  const { name, settings } = runner;
  if (name === 'mocha') {
    const mocha = runner.mocha ?? loadOptions(loadMocha(root), root);
    // As on mocha's command line.
    return {
      mocha: grep === undefined ? mocha : { ...mocha, grep: titlePattern(grep), invert: false },
    };
  }
  return {
    runner: name,
    ...(settings === undefined ? {} : { runnerSettings: settings }),
    ...(grep === undefined ? {} : { grep: titlePattern(grep) }),
  };
}
