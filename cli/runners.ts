/**
 * Which test runner a project has, and what its configuration says of files and timeouts.
 *
 * The runner's own code answers that, in the way its users know: vitest's `vitest/node`, and jest's
 * `--listTests` and `--showConfig`.
 */

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { MochaOptions } from '../runtime/mocha/mocha-package.js';
import type { RunnerSettings } from '../runtime/runners/adapters.js';
import type { RunnerName } from '../runtime/runners/names.js';
import type { Config } from './config.js';
import { UserError } from './errors.js';
import { existsSync, readdirSync, readJsonIfAny, readTextIfAny } from './overlay/disk.js';
import { VITEST_MARK } from './vitest-mark.js';

/** The runner of a project, as plain data for the workers. */
export interface ProjectRunner {
  readonly name: RunnerName;
  readonly settings?: RunnerSettings;
  /** Mocha's options; a worker that is not told asks mocha itself, which takes it a while. */
  readonly mocha?: MochaOptions;
}

interface Manifest {
  readonly scripts?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly jest?: unknown;
}

const CONFIG_FILES: Record<'vitest' | 'jest' | 'mocha', RegExp> = {
  vitest: /^vitest\.(?:config|workspace)\.[cm]?[jt]s$/,
  jest: /^jest\.config\.(?:[cm]?[jt]s|json)$/,
  mocha: /^\.mocharc\./,
};

/** What names the runner in a script. */
const IN_SCRIPT: readonly (readonly [RunnerName, RegExp])[] = [
  ['vitest', /\bvitest\b/],
  ['jest', /\bjest\b/],
  ['mocha', /\bmocha\b/],
  ['node:test', /\b(?:node|tsx)\b.*\s--test\b/],
];

/**
 * The runner of a project: that of the config, else that of the `test` script, else the one whose
 * configuration file or package is there; mocha where nothing tells.
 */
export function findRunner(root: string, config: Config): RunnerName {
  if (config.runner !== undefined) return config.runner;
  const manifest = readJsonIfAny<Manifest>(path.join(root, 'package.json')) ?? {};
  const scripts = Object.entries(manifest.scripts ?? {});
  const testScripts = scripts.filter(([name]) => name === 'test');
  for (const [, script] of [...testScripts, ...scripts.filter(([name]) => /test/.test(name))]) {
    const found = IN_SCRIPT.find(([, pattern]) => pattern.test(script));
    if (found !== undefined) return found[0];
  }
  const files = existsSync(root) ? readdirSync(root) : [];
  const packages = { ...manifest.dependencies, ...manifest.devDependencies };
  for (const name of ['mocha', 'vitest', 'jest'] as const) {
    if (files.some((file) => CONFIG_FILES[name].test(file)) || name in packages) return name;
  }
  if (manifest.jest !== undefined) return 'jest';
  return isInstalled(root, 'mocha') ? 'mocha' : usesNodeTest(root) ? 'node:test' : 'mocha';
}

function isInstalled(root: string, name: string): boolean {
  try {
    createRequire(path.join(root, 'package.json')).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

function usesNodeTest(root: string): boolean {
  const { nodeTestFiles } =
    require('./node-test-files.js') as typeof import('./node-test-files.js');
  return nodeTestFiles(root).length > 0;
}

/** Whether the configuration of vitest or jest names detsim, so that they show replays. */
export function usesPlugin(root: string, runner: RunnerName): boolean {
  if (runner !== 'vitest' && runner !== 'jest') return true;
  const named = /^(?:(?:vite|vitest|jest)\.config\.(?:[cm]?[jt]s|json)|package\.json)$/;
  return readdirSync(root)
    .filter((file) => named.test(file))
    .some((file) => NAMES_DETSIM[runner].test(readTextIfAny(path.join(root, file)) ?? ''));
}

/** Jest's transformer alone shows no replays. */
const NAMES_DETSIM = {
  vitest: /detsim\/vitest/,
  jest: /testRunner["']?\s*:\s*(?:require\.resolve\()?["']detsim\/jest/,
};

/** Files and settings by the runner's own configuration. */
export interface RunnerFiles {
  readonly files: readonly string[];
  readonly settings: RunnerSettings;
}

/** What vitest's configuration says. @throws UserError with vitest's own message */
export function vitestFiles(root: string): RunnerFiles {
  const file = resolveFrom(root, 'vitest', 'vitest/node');
  const script = path.join(__dirname, 'vitest-list.js');
  const done = spawnSync(process.execPath, [script, root, file], { cwd: root, encoding: 'utf8' });
  const line = done.stdout.split('\n').find((one) => one.startsWith(VITEST_MARK));
  if (line !== undefined) return JSON.parse(line.slice(VITEST_MARK.length)) as RunnerFiles;
  throw new UserError(`vitest cannot list its tests: ${(done.stderr || done.stdout).trim()}`);
}

/** What jest's configuration says. @throws UserError with jest's own message */
export function jestFiles(root: string): RunnerFiles {
  const manifest = resolveFrom(root, 'jest', 'jest/package.json');
  const bin = path.join(path.dirname(manifest), 'bin/jest.js');
  const run = (...args: string[]): string => {
    const done = spawnSync(process.execPath, [bin, ...args], { cwd: root, encoding: 'utf8' });
    if (done.status === 0) return done.stdout;
    throw new UserError(`jest cannot list its tests: ${(done.stderr || done.stdout).trim()}`);
  };
  const files = JSON.parse(run('--listTests', '--json')) as string[];
  const shown = JSON.parse(run('--showConfig')) as {
    configs: { setupFiles: string[]; setupFilesAfterEnv: string[]; injectGlobals?: boolean }[];
    globalConfig: { testTimeout?: number };
  };
  const [{ setupFiles = [], setupFilesAfterEnv = [], injectGlobals = true }] = shown.configs;
  const timeout = shown.globalConfig.testTimeout ?? 5000;
  return {
    files: files.sort(),
    settings: {
      // What jest itself adds is in node_modules.
      setupFiles: [...setupFiles, ...setupFilesAfterEnv].filter((f) => !/node_modules/.test(f)),
      globals: injectGlobals,
      testTimeout: timeout,
      hookTimeout: timeout,
    },
  };
}

function resolveFrom(root: string, name: string, request: string): string {
  try {
    return createRequire(path.join(root, 'package.json')).resolve(request);
  } catch {
    throw new UserError(
      `The project in ${root} has no ${name}, though its configuration names it: install it there ` +
        `(npm install --save-dev ${name}), or set "runner" in detsim.config.json.`,
    );
  }
}
