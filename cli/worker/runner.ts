/**
 * Makes the trial runner of a worker from what the coordinator says of the project.
 */

import { TrialRunner } from '../../runtime/mocha/trial-runner.js';
import { Overlay } from '../overlay/overlay.js';
import { Project } from '../overlay/project.js';
import type { ProjectSetup } from '../project.js';
import type { Isolation } from '../values.js';

export type { TrialRunner };

/** Loads mocha and the project's `--require` files. */
export function createRunner(setup: ProjectSetup, isolate: Isolation): TrialRunner {
  const { root, config, specs } = setup;
  const overlay = new Overlay(new Project(root, config), { tests: specs });
  const runner = new TrialRunner({
    root,
    overlay,
    // A process that runs one trial needs no fresh packages.
    isolate: isolate === 'all' ? 'all' : 'modules',
    maxStallMs: setup.maxStall,
  });
  runner.load();
  return runner;
}
