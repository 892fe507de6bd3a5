/**
 * Mocha's options and spec files, found by mocha's own code: command line, MOCHA_OPTIONS,
 * `.mocharc.*`, the `mocha` key of package.json, defaults.
 */

import { EventEmitter } from 'node:events';
import { pristine } from '../node/pristine.js';
import type { MochaOptions, MochaPackage } from './mocha-package.js';

/**
 * The options that mocha would run with in the project's root.
 * @param args as on mocha's command line
 */
export function loadOptions(
  mocha: MochaPackage,
  root: string,
  args: readonly string[] = [],
): MochaOptions {
  const { loadOptions: load } = mocha.inner('cli/options') as {
    loadOptions(args: readonly string[]): MochaOptions;
  };
  return inFolder(root, () => withCamelCase(load(args)));
}

/** What mocha says when it looks for files. */
export interface SpecFiles {
  /** Absolute, in the order in which mocha would load them; without those of `--file`. */
  readonly files: readonly string[];
  /** For instance globs that match nothing. */
  readonly warnings: readonly string[];
}

/**
 * The spec files of a project.
 * @param patterns files, folders or globs; those of the options when left out
 */
export function findSpecFiles(
  mocha: MochaPackage,
  root: string,
  options: MochaOptions,
  patterns?: readonly string[],
): SpecFiles {
  const collect = mocha.inner('cli/collect-files') as Collect;
  const look = {
    allowEmpty: true,
    ignore: (options.ignore as string[] | undefined) ?? [],
    extension: (options.extension as string[] | undefined) ?? [],
    file: [],
    recursive: Boolean(options.recursive),
    sort: Boolean(options.sort),
    spec: patterns ?? specPatterns(options),
  };
  return inFolder(root, () =>
    quietly((warnings) => {
      const found = unlessItExits(() => collect(look)) ?? [];
      return { files: 'files' in found ? found.files : found, warnings };
    }),
  );
}

type Collect = (options: object) => { files: string[] } | string[];

function specPatterns(options: MochaOptions): readonly string[] {
  const positional = (options._ as string[] | undefined) ?? [];
  const spec = (options.spec as string[] | undefined) ?? [];
  const patterns = [...new Set([...positional, ...spec])];
  return patterns.length === 0 ? ['./test'] : patterns;
}

/** The names that the interface of the options defines as globals. */
export function interfaceNames(mocha: MochaPackage, options: MochaOptions): Set<string> {
  const { Mocha } = mocha;
  const instance = new Mocha({ ui: options.ui, reporter: EventEmitter });
  const context: Record<string, unknown> = {};
  instance.suite.emit('pre-require', context, '', instance);
  return new Set(Object.keys(context));
}

/** Mocha's command line hands options on in both spellings. */
function withCamelCase(options: MochaOptions): MochaOptions {
  const both: MochaOptions = { ...options };
  for (const [name, value] of Object.entries(options)) {
    const camel = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!(camel in both)) both[camel] = value;
  }
  return both;
}

function inFolder<T>(folder: string, work: () => T): T {
  const before = pristine.cwd();
  if (before === folder) return work();
  pristine.chdir(folder);
  try {
    return work();
  } finally {
    pristine.chdir(before);
  }
}

/** Mocha 10 and 11 end the process when there is no file. @returns nothing in that case */
function unlessItExits<T>(work: () => T): T | undefined {
  const { exit } = process;
  const exited = new Error('exit');
  process.exit = () => {
    throw exited;
  };
  try {
    return work();
  } catch (error) {
    if (error === exited) return undefined;
    throw error;
  } finally {
    process.exit = exit;
  }
}

/** Runs work with what it writes to the console put into a list. */
function quietly<T>(work: (lines: string[]) => T): T {
  const lines: string[] = [];
  const { warn, error } = console;
  console.warn = console.error = (line: unknown) => void lines.push(String(line));
  try {
    return work(lines);
  } finally {
    Object.assign(console, { warn, error });
  }
}
