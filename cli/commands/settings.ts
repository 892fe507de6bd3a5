/**
 * The settings of a sweep or a replay: options of the command line over the config over defaults.
 */

import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { StrategyName } from '../../runtime/explore/strategies/names.js';
import { RUNGS, type Rung, type RungName } from '../../runtime/kernel/rung.js';
import { loadConfig, type Config } from '../config.js';
import { fromEnvironment, toEnvironment, withOptions, type ConfigOptions } from '../environment.js';
import { UserError } from '../errors.js';
import { faultsOf, type FaultFlags } from '../faults.js';
import { isFolder } from '../overlay/disk.js';
import { findRoot } from '../overlay/project.js';
import type { ProjectSetup } from '../project.js';
import { specsWithRunner } from '../specs.js';

/** Options that `sweep` and `replay` share. */
export interface CommonOptions extends Omit<ConfigOptions, 'faults'>, FaultFlags {
  readonly grep?: string;
  /** Whether types are checked. */
  readonly check: boolean;
}

export interface SettingsQuery extends CommonOptions {
  readonly patterns: readonly string[];
  readonly seed?: number | 'random';
  readonly order?: RungName;
  /** Where the line to paste has put the options of its sweep. */
  readonly environment?: NodeJS.ProcessEnv;
}

export interface Settings {
  readonly setup: ProjectSetup;
  /** Variables that say on mocha's command line what the options say here. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the config says of a sweep, or the defaults. */
  readonly trials: number;
  readonly workers: number;
  readonly failOn: RungName;
  readonly strategy: StrategyName;
}

/** Finds the project of the working directory, and puts its settings together. */
export function settingsFor(query: SettingsQuery): Settings {
  const cwd = process.cwd();
  const root = findRoot(cwd);
  const { instrument, isolate, maxStall } = query;
  const given = defined({ instrument, isolate, maxStall, faults: faultsOf(query) });
  const options = { ...fromEnvironment(query.environment ?? {}), ...given };
  const config = withOptions(loadConfig(root).config, options);
  checkInstrumented(root, config.instrument ?? []);
  return {
    setup: {
      root,
      config,
      ...specsWithRunner({ root, cwd, patterns: query.patterns, config }),
      grep: query.grep,
      isolate: config.isolate ?? 'modules',
      seed: baseSeed(query.seed ?? config.seed ?? 0),
      order: rungNumber(query.order ?? config.order ?? 'any'),
      maxStall: config.maxStall ?? 10,
    },
    environment: toEnvironment(options),
    trials: config.trials ?? 2000,
    workers: config.workers ?? availableParallelism(),
    failOn: config.failOn ?? 'stubs',
    strategy: config.strategy ?? 'portfolio',
  };
}

export function rungNumber(name: RungName): Rung {
  return RUNGS.indexOf(name) as Rung;
}

/** The object without the keys that have no value. */
function defined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** A random seed is printed, so that the sweep can be run again. */
function baseSeed(seed: NonNullable<Config['seed']>): number {
  return seed === 'random' ? randomInt(2 ** 40) : Number(seed);
}

function checkInstrumented(root: string, names: readonly string[]): void {
  for (const name of names) {
    if (isInstalled(root, name)) continue;
    throw new UserError(
      `"instrument" names the package "${name}", which is not installed for ${root}. ` +
        'Use the name under which it is required, or install it.',
    );
  }
}

function isInstalled(root: string, name: string): boolean {
  for (let folder = root; ; folder = path.dirname(folder)) {
    if (isFolder(path.join(folder, 'node_modules', name))) return true;
    if (path.dirname(folder) === folder) return false;
  }
}
