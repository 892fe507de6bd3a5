/**
 * Makes the trial runner of a worker from what the coordinator says of the project.
 */

import { loadMocha, type MochaOptions } from '../../runtime/mocha/mocha-package.js';
import { loadOptions } from '../../runtime/mocha/options.js';
import { TrialRunner } from '../../runtime/mocha/trial-runner.js';
import { resolveFaults } from '../../runtime/node/fault-settings.js';
import { UserError } from '../errors.js';
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
      ...(setup.grep === undefined ? {} : { mocha: optionsWithGrep(root, setup.grep) }),
      maxStallMs: setup.maxStall,
      faults: resolveFaults(config.faults ?? {}),
    });
    runner.load();
    return runner;
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}

/** As on mocha's command line: a pattern between slashes may have flags. */
function optionsWithGrep(root: string, grep: string): MochaOptions {
  const [, pattern = grep, flags] = /^\/(.*)\/([gimy]{0,4})$/.exec(grep) ?? [];
  return { ...loadOptions(loadMocha(root), root), grep: new RegExp(pattern, flags), invert: false };
}
