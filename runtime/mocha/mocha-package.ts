/**
 * The project's own mocha: found from the project's root, never detsim's.
 *
 * Versions 10 to 12 are known. 12 is an ES module, which `require` loads; the inner modules used
 * here changed their file names between versions and kept what they export.
 */

import fs from 'node:fs';
import path from 'node:path';
import Module from 'node:module';

/** Options as mocha's command line and configuration files spell them, in camel case too. */
export type MochaOptions = Record<string, unknown>;

export interface Runnable {
  title: string;
  originalTitle?: string;
  type: 'test' | 'hook';
  parent: Suite;
  file?: string;
  state?: string;
  async: boolean | number;
  timer?: unknown;
  timedOut: boolean;
  duration?: number;
  callback?: (error?: unknown) => void;
  fullTitle(): string;
  titlePath(): string[];
  timeout(): number;
  currentRetry(): number;
  isPending(): boolean;
  run(done: (error?: unknown) => void): void;
  clearTimeout(): void;
  resetTimeout(): void;
  _timeoutError(ms: number): Error;
}

export interface Suite {
  title: string;
  root: boolean;
  parent?: Suite;
  suites: Suite[];
  tests: Runnable[];
  emit(event: string, ...args: unknown[]): boolean;
  eachTest(visit: (test: Runnable) => void): void;
}

export interface Runner {
  suite: Suite;
  total: number;
  failures: number;
  state: string;
  currentRunnable?: Runnable;
  checkLeaks: boolean;
  fullStackTrace: unknown;
  asyncOnly: unknown;
  forbidOnly: unknown;
  forbidPending: unknown;
  unhandled: (...args: unknown[]) => void;
  fail(test: Runnable, error: unknown, force?: boolean): void;
  grep(pattern: RegExp, invert?: unknown): this;
  globals(names: unknown): this;
  run(done: (failures: number) => void, options?: unknown): this;
  on(event: string, listener: (...args: any[]) => void): this;
  emit(event: string, ...args: unknown[]): boolean;
  dispose(): void;
}

export interface MochaInstance {
  files: string[];
  suite: Suite;
  options: MochaOptions;
  runGlobalSetup(context: unknown): Promise<unknown>;
  runGlobalTeardown(runner: unknown, options: unknown): Promise<unknown>;
  hasGlobalSetupFixtures(): boolean;
  hasGlobalTeardownFixtures(): boolean;
  run(done?: (failures: number) => void): Runner;
  loadFiles(done?: () => void): void;
  loadFilesAsync(options?: unknown): Promise<void>;
  lazyLoadFiles(enable: boolean): this;
  enableGlobalSetup(enable: boolean): this;
  enableGlobalTeardown(enable: boolean): this;
  _runnerClass: unknown;
}

export interface MochaClass {
  new (options: MochaOptions): MochaInstance;
  prototype: MochaInstance;
  Runnable: { prototype: Runnable };
  Runner: { new (suite: Suite, options: object): Runner; immediately(run: () => void): unknown };
  interfaces: Record<string, unknown>;
  utils: { uniqueID(): string; stackTraceFilter(): (stack: string) => string };
}

/** Mocha's own reader of what `--require` files export. */
interface PluginLoader {
  load(exports: unknown): boolean;
  finalize(): Promise<MochaOptions>;
}

export interface MochaPackage {
  readonly Mocha: MochaClass;
  /** For instance `12.0.3`. */
  readonly version: string;
  readonly folder: string;
  /** A module of the package by its path below `lib`, without extension. */
  inner(name: string): any;
  newPluginLoader(): PluginLoader;
}

const SUPPORTED = { from: 10, to: 12 };

/**
 * Loads the mocha of a project.
 * @param root the project's root folder
 * @throws an error with what to do, when there is none or its version is not known
 */
export function loadMocha(root: string): MochaPackage {
  const require = Module.createRequire(path.join(root, 'package.json'));
  const manifest = findManifest(require, root);
  const folder = path.dirname(manifest);
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  checkVersion(version, folder);
  const exports = require(folder) as MochaClass | { default: MochaClass };
  const inner = (name: string): unknown => require(innerFile(folder, name));
  return {
    Mocha: 'default' in exports ? exports.default : exports,
    version,
    folder,
    inner,
    newPluginLoader: () => {
      const found = inner('plugin-loader') as { PluginLoader?: { create(): PluginLoader } };
      return (found.PluginLoader ?? (found as { create(): PluginLoader })).create();
    },
  };
}

/** The mocha that runs in this process, wherever it was started from; undefined when none does. */
export function runningMocha(): MochaClass | undefined {
  for (const [file, module] of Object.entries(require.cache)) {
    if (!/[\\/]lib[\\/]mocha\.c?js$/.test(file)) continue;
    const exports = module?.exports as Partial<MochaClass> | undefined;
    if (exports?.Runner !== undefined && exports.Runnable !== undefined)
      return module!.exports as MochaClass;
  }
  return undefined;
}

function findManifest(require: NodeJS.Require, root: string): string {
  try {
    return require.resolve('mocha/package.json');
  } catch {
    throw new Error(
      `The project in ${root} has no mocha. detsim runs a project's tests with the project's own ` +
        'mocha: install it there (npm install --save-dev mocha).',
    );
  }
}

function checkVersion(version: string, folder: string): void {
  const major = Number(version.split('.')[0]);
  if (major < SUPPORTED.from) {
    throw new Error(
      `The project's mocha in ${folder} has version ${version}; detsim knows versions ` +
        `${SUPPORTED.from} to ${SUPPORTED.to}. Update mocha in the project.`,
    );
  }
}

function innerFile(folder: string, name: string): string {
  for (const extension of ['.js', '.cjs']) {
    const file = path.join(folder, 'lib', name + extension);
    if (fs.existsSync(file)) return file;
  }
  throw new Error(`The mocha in ${folder} has no lib/${name}: detsim does not know this version.`);
}
