/**
 * `detsim doctor`: what of the machine and the project is not in order, and how to mend it. It only
 * looks, and runs no test.
 */

import { createRequire } from 'node:module';
import path from 'node:path';
import type { RunnerName } from '../../runtime/runners/names.js';
import { loadConfig } from '../config.js';
import { importedPackages, slowToLoad, uncontrolledIn } from '../doctor/packages.js';
import { UserError } from '../errors.js';
import { isFile, isFolder, readJsonIfAny, realPath } from '../overlay/disk.js';
import { findRoot, typescriptVersionOf } from '../overlay/project.js';
import { colorsFor } from '../report/style.js';
import { findRunner, usesPlugin } from '../runners.js';
import { specsWithRunner } from '../specs.js';

/** What was looked at: in order, worth knowing, or wrong. */
interface Finding {
  readonly level: 'ok' | 'note' | 'wrong';
  readonly text: string;
}

interface Manifest {
  readonly version?: string;
  readonly gypfile?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const ok = (text: string): Finding => ({ level: 'ok', text });
const note = (text: string): Finding => ({ level: 'note', text });
const wrong = (text: string): Finding => ({ level: 'wrong', text });

/** The least version of each runner that is known. */
const LEAST: Record<Exclude<RunnerName, 'node:test'>, number> = { mocha: 10, vitest: 3, jest: 29 };

/** @returns the exit status: 1 when something is wrong */
export function doctorCommand(): number {
  const root = findRoot(process.cwd());
  const { config } = loadConfig(root);
  const runner = findRunner(root, config);
  const findings = [
    nodeVersion(process.versions.node),
    typescript(root),
    runnerVersion(root, runner),
    plugin(root, runner),
    copies(root),
    ...addons(root),
    ...tests(root, runner),
  ];
  const c = colorsFor(process.stdout);
  const marks = { ok: c.green('✓'), note: c.yellow('!'), wrong: c.red('✗') };
  for (const { level, text } of findings) process.stdout.write(`${marks[level]} ${text}\n`);
  return findings.some(({ level }) => level === 'wrong') ? 1 : 0;
}

/** @param version of Node, for instance `22.12.0` */
export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return ok(`Node ${version}`);
  return wrong(`Node ${version} is too old: detsim needs 20.19 or later. Update Node.`);
}

function typescript(root: string): Finding {
  const version = typescriptVersionOf(root);
  const configured = isFile(path.join(root, 'tsconfig.json'));
  // What is found may be the copy that npm has installed for detsim.
  if (version === undefined || !(configured || isNamed(root, 'typescript'))) {
    return configured
      ? note('There is a tsconfig.json but no typescript: detsim compiles with a copy of its own.')
      : ok('no TypeScript: the JavaScript of the project is instrumented');
  }
  const major = Number.parseInt(version, 10);
  if (major < 5) return wrong(`TypeScript ${version} is too old: update it to 5.0 or later.`);
  if (major < 7) return ok(`TypeScript ${version}`);
  return note(
    `TypeScript ${version} has no editor plugins: warnings in the editor come by \`detsim lsp\`, ` +
      'and on the command line by `detsim check`.',
  );
}

/** Whether the project itself asks for a package. */
function isNamed(root: string, name: string): boolean {
  const { dependencies, devDependencies } =
    readJsonIfAny<Manifest>(path.join(root, 'package.json')) ?? {};
  return name in { ...dependencies, ...devDependencies };
}

function runnerVersion(root: string, runner: RunnerName): Finding {
  if (runner === 'node:test') return ok('test runner: node:test');
  const version = manifestOf(root, runner)?.version;
  if (version === undefined) {
    return wrong(
      `The test runner is ${runner}, which is not installed: npm install --save-dev ${runner}. ` +
        'Where it is another one, set "runner" in detsim.config.json.',
    );
  }
  if (Number.parseInt(version, 10) >= LEAST[runner]) return ok(`test runner: ${runner} ${version}`);
  return wrong(
    `${runner} ${version} is too old: detsim knows ${LEAST[runner]} and later. Update it.`,
  );
}

function tests(root: string, runner: RunnerName): Finding[] {
  const { config } = loadConfig(root);
  let specs: readonly string[];
  try {
    ({ specs } = specsWithRunner({ root, cwd: root, patterns: [], config }));
  } catch (error) {
    if (error instanceof UserError) return [wrong(error.message)];
    throw error;
  }
  const own = runner === 'mocha' ? ['mocha'] : RUNNER_PACKAGES;
  const packages = importedPackages(root, config, specs).filter((name) => !own.includes(name));
  return [
    ok(`${specs.length} test ${specs.length === 1 ? 'file' : 'files'}`),
    ...uncontrolled(root, packages),
    ...slow(root, packages),
  ];
}

/** They are loaded by detsim's own adapters, and not by themselves. */
const RUNNER_PACKAGES = ['vitest', 'jest', '@jest/globals'];

function uncontrolled(root: string, packages: readonly string[]): Finding[] {
  return packages.flatMap((name) => {
    const found = uncontrolledIn(root, name);
    if (found === undefined) return [];
    return [
      note(
        `${name} can start ${found.what} (${found.where}), which run in real time: a test that ` +
          'comes to it is skipped, with the call as the reason. Put a stand-in in its place in tests.',
      ),
    ];
  });
}

function slow(root: string, packages: readonly string[]): Finding[] {
  const found = slowToLoad(root, packages);
  if (found.length === 0) return [ok('what the tests import loads quickly')];
  return found.map(({ name, ms }) =>
    note(
      `${name} takes ${Math.round(ms)} ms to load, in each process of a sweep: import the part of ` +
        'it that is needed, or load it where it is used.',
    ),
  );
}

function plugin(root: string, runner: RunnerName): Finding {
  if (usesPlugin(root, runner)) return ok('replays work in the test runner itself');
  const what =
    runner === 'vitest'
      ? "`plugins: [detsim()]` with detsim from 'detsim/vitest'"
      : "`testRunner: 'detsim/jest'`";
  return note(
    `A sweep prints lines for \`detsim replay\`. To replay in ${runner} itself, add ${what} to its ` +
      'configuration.',
  );
}

/** Two copies would be two runtimes that know nothing of each other. */
function copies(root: string): Finding {
  const own = realPath(path.resolve(__dirname, '../../..'));
  const installed = path.join(root, 'node_modules/detsim');
  if (!isFolder(installed) || realPath(installed) === own) return ok('one copy of detsim');
  return wrong(
    `There are two copies of detsim: ${own} runs, and ${installed} is what tests import. Run the ` +
      "project's own (npx detsim), or remove one.",
  );
}

/** Packages with code that is not JavaScript. */
function addons(root: string): Finding[] {
  const { dependencies = {}, devDependencies = {} } =
    readJsonIfAny<Manifest>(path.join(root, 'package.json')) ?? {};
  return Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => isFile(path.join(root, 'node_modules', name, 'binding.gyp')))
    .map((name) =>
      note(
        `${name} has a native addon: what it does by itself is not simulated. Put a stand-in in ` +
          'its place in tests.',
      ),
    );
}

function manifestOf(root: string, name: string): Manifest | undefined {
  try {
    const require = createRequire(path.join(root, 'package.json'));
    return readJsonIfAny<Manifest>(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
