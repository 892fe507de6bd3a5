/**
 * Which spec files to run: those named on the command line, else those of the config, else those
 * that the test runner's own configuration names, else what the runner takes by default; with mocha
 * all scenario files as well.
 */

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import picomatch from 'picomatch';
import type { RunnerSettings } from '../runtime/runners/adapters.js';
import type { AdapterName, RunnerName } from '../runtime/runners/names.js';
import { loadMocha, type MochaOptions } from '../runtime/mocha/mocha-package.js';
import { findSpecFiles, loadOptions } from '../runtime/mocha/options.js';
import type { Config } from './config.js';
import { UserError } from './errors.js';
import { nodeTestFiles } from './node-test-files.js';
import { isFile, isFolder, isInside, realPath, relativePosix } from './overlay/disk.js';
import {
  findRunner,
  jestFiles,
  vitestFiles,
  type ProjectRunner,
  type RunnerFiles,
} from './runners.js';

/** What a folder is searched for where the extensions of mocha's configuration find nothing. */
const TYPESCRIPT = ['ts', 'tsx', 'mts', 'cts'];

export interface SpecQuery {
  /** Absolute path of the project's root. */
  readonly root: string;
  /** What `patterns` are relative to. */
  readonly cwd: string;
  /** Files, folders and globs of the command line. */
  readonly patterns: readonly string[];
  readonly config: Config;
}

/**
 * Finds the spec files.
 * @returns absolute paths without symbolic links, each once, in the order of the patterns
 * @throws UserError when a pattern of the command line matches nothing, or there is none at all
 */
export function findSpecs(query: SpecQuery): string[] {
  return specsWithRunner(query).specs;
}

/** The spec files, with the runner that they are for. */
export function specsWithRunner({ root, cwd, patterns, config }: SpecQuery): Specs {
  const name = findRunner(root, config);
  const { lookUp, ...told } = name === 'mocha' ? lookUpIn(root) : lookUpBy(name, root);
  const specs = specsFor({ root, cwd, patterns, config }, lookUp, name);
  return { specs, runner: { name, ...told } };
}

export interface Specs {
  readonly specs: string[];
  readonly runner: ProjectRunner;
}

type LookUp = (patterns: readonly string[] | undefined) => string[];

function specsFor(
  { root, cwd, patterns, config }: SpecQuery,
  lookUp: LookUp,
  runner: RunnerName,
): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const files = lookUp([path.relative(root, path.resolve(cwd, pattern)) || '.']);
    if (files.length === 0) {
      throw new UserError(
        `No test file matches "${pattern}" in ${cwd}. Name a file, a folder, or a glob in quotes ` +
          'such as "test/**/*.test.ts".',
      );
    }
    for (const file of files) found.add(file);
  }
  if (patterns.length > 0) return [...found];
  // A scenario is written for mocha's interface.
  const scenarios = runner === 'mocha' ? scenarioFiles(root) : [];
  const files = new Set([...lookUp(config.tests), ...scenarios]);
  if (files.size > 0) return [...files];
  const where = config.tests?.map((glob) => `"${glob}"`).join(', ');
  throw new UserError(
    `No test files were found in ${root}: ` +
      (where === undefined ? NONE[runner] : `"tests" of the config matches none (${where}). `) +
      'Name them on the command line, for instance detsim sweep "test/**/*.test.ts".',
  );
}

const SCENARIO = /\.scenario\.[cm]?tsx?$/;

/** The scenario files of a project, wherever they are: `bank.scenario.ts`. */
function scenarioFiles(root: string): string[] {
  const found: string[] = [];
  const search = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const { name } = entry;
      const file = path.join(folder, name);
      if (entry.isFile() && SCENARIO.test(name)) found.push(realPath(file));
      // A folder with a package.json is a project of its own.
      const inside = entry.isDirectory() && name !== 'node_modules' && !name.startsWith('.');
      if (inside && !existsSync(path.join(file, 'package.json'))) search(file);
    }
  };
  search(root);
  return found.sort();
}

/** Why a runner has no files. */
const NONE: Record<RunnerName, string> = {
  mocha: 'mocha\'s configuration has no "spec" that matches any, and there are none in test/. ',
  vitest: 'vitest finds none by the "include" of its configuration. ',
  jest: 'jest finds none by its configuration. ',
  'node:test': 'no file that Node takes for a test imports "node:test". ',
};

/** Looks up patterns among the files that a runner finds by itself, or on disk. */
function lookUpBy(name: AdapterName, root: string): { lookUp: LookUp; settings?: RunnerSettings } {
  const found: Partial<RunnerFiles> & Pick<RunnerFiles, 'files'> =
    name === 'node:test'
      ? { files: nodeTestFiles(root) }
      : name === 'vitest'
        ? vitestFiles(root)
        : jestFiles(root);
  const files = found.files.map(realPath);
  const lookUp: LookUp = (patterns) => {
    if (patterns === undefined) return files;
    const matched = patterns.flatMap((pattern) => {
      const file = path.resolve(root, pattern);
      if (isFile(file)) return [realPath(file)];
      if (isFolder(file)) return files.filter((one) => isInside(realPath(file), one));
      const matches = picomatch(pattern);
      return files.filter((one) => matches(relativePosix(root, one)));
    });
    return [...new Set(matched)];
  };
  return { lookUp, ...(found.settings && { settings: found.settings }) };
}

/** Looks up patterns relative to the root; those of mocha's configuration when there are none. */
function lookUpIn(root: string): { lookUp: LookUp } & Pick<ProjectRunner, 'mocha'> {
  const mocha = userErrors(() => loadMocha(root));
  const options = userErrors(() => loadOptions(mocha, root));
  const withTypeScript: MochaOptions = { ...options, extension: TYPESCRIPT };
  const lookUp: LookUp = (patterns) => {
    for (const one of [options, withTypeScript]) {
      const { files } = findSpecFiles(mocha, root, one, patterns);
      const sources = files.filter((file) => !/\.d\.[mc]?ts$/.test(file));
      if (sources.length > 0) return [...new Set(sources.map(realPath))];
    }
    return [];
  };
  // A configuration in JavaScript may say more than plain data can.
  const isData = !/\.[cm]?js$/.test(String(options.config));
  return { lookUp, ...(isData && { mocha: options }) };
}

/** What is wrong with mocha, or with its configuration, is for the user to solve. */
function userErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}
