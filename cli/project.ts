/**
 * What every process of a sweep has to know of the project: plain data that is sent to the workers.
 */

import path from 'node:path';
import type { Config } from './config.js';
import { readTextIfAny } from './overlay/disk.js';
import type { ProjectRunner } from './runners.js';
import type { Isolation } from './values.js';
import type { Rung } from '../runtime/kernel/rung.js';

export interface ProjectSetup {
  /** Absolute path without symbolic links. */
  readonly root: string;
  /** The config file, with the options of the command line put over it. */
  readonly config: Config;
  /** All spec files, absolute; what their functions return counts as a stand-in's. */
  readonly specs: readonly string[];
  /** Mocha when it is left out. */
  readonly runner?: ProjectRunner;
  /** Only tests whose full title matches, as mocha's `--grep`. */
  readonly grep: string | undefined;
  readonly isolate: Isolation;
  /** The base seed of the sweep. */
  readonly seed: number;
  /** The highest rung that is explored. */
  readonly order: Rung;
  /** How late the event loop may be, in ms. */
  readonly maxStall: number;
}

/** The name in a project's package.json; empty where there is none. */
export function projectName(root: string): string {
  const text = readTextIfAny(path.join(root, 'package.json')) ?? '{}';
  return (JSON.parse(text) as { name?: string }).name ?? '';
}
