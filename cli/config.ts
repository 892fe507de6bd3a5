/**
 * The config file, `detsim.config.json` in the project's root: read, checked, and given a type.
 *
 * The table below is the schema; messages and types of values come from it. The file may have
 * comments and trailing commas. TypeScript's parser is loaded only for such a file, and to find the
 * position of a mistake.
 */

import path from 'node:path';
import { STRATEGIES, type StrategyName } from '../runtime/explore/strategies/names.js';
import {
  FaultSettingsError,
  resolveFaults,
  type FaultSettings,
} from '../runtime/node/fault-settings.js';
import { isHostPattern } from '../runtime/node/sockets/unreachable.js';
import { RUNNERS, type RunnerName } from '../runtime/runners/names.js';
import { UserError } from './errors.js';
import { readTextIfAny, relativePosix } from './overlay/disk.js';

/** What a project may say about itself. Options of the command line win. */
export interface Config {
  /** Globs of test files, relative to the root; the `spec` of mocha's config is the default. */
  tests?: string[];
  /** The test runner; found by the project's `test` script and packages without it. */
  runner?: RunnerName;
  /** Packages of node_modules that get yield points as well, by the name as required. */
  instrument?: string[];
  /** Globs of further files that hold stand-ins; test files and folders of tests always count. */
  stubs?: string[];
  /** What is fresh in every trial: the project's modules, packages too, or a whole process. */
  isolate?: 'modules' | 'all' | 'process';
  /** Trials for each test file. */
  trials?: number;
  /** The base seed, a decimal string or a whole number; `random` draws one. */
  seed?: string | number;
  /** The highest rung that is explored. */
  order?: 'native' | 'node' | 'stubs' | 'any';
  /** The highest rung whose findings fail the sweep. */
  failOn?: 'native' | 'node' | 'stubs' | 'any';
  /** What proposes deviations: the portfolio of all, or one. */
  strategy?: StrategyName;
  /** Worker processes. */
  workers?: number;
  /** How late the event loop may be, in ms. */
  maxStall?: number;
  /** Which faults of the simulated world can strike, and how often. */
  faults?: FaultSettings;
  /** Host names and addresses, with `*` for any part, that lie outside and never answer. */
  unreachable?: string[];
  /** The tsconfig, relative to the root. */
  tsconfig?: string;
  /** The folder of the overlay, relative to the root. */
  overlay?: string;
}

/** A config and where it came from; `file` is undefined where a project has none. */
export interface LoadedConfig {
  readonly config: Config;
  readonly file: string | undefined;
}

export const configFileName = 'detsim.config.json';

/** A kind of value: its description for messages, and the test. */
interface ValueKind {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const listOfStrings: ValueKind = {
  expected: 'a list of strings',
  accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};
const string: ValueKind = {
  expected: 'a string',
  accepts: (value) => typeof value === 'string' && value !== '',
};
const rungs = oneOf('native', 'node', 'stubs', 'any');

const schema: Record<keyof Config, ValueKind> = {
  tests: listOfStrings,
  runner: oneOf(...RUNNERS),
  instrument: listOfStrings,
  stubs: listOfStrings,
  isolate: oneOf('modules', 'all', 'process'),
  trials: wholeNumber(1),
  seed: {
    expected: 'a whole number, a string of decimal digits or "random"',
    accepts: (value) =>
      (Number.isSafeInteger(value) && Number(value) >= 0) ||
      (typeof value === 'string' && /^(?:\d+|random)$/.test(value)),
  },
  order: rungs,
  failOn: rungs,
  strategy: oneOf(...STRATEGIES),
  workers: wholeNumber(1),
  maxStall: {
    expected: 'a number of milliseconds, 0 or more',
    accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  },
  faults: { expected: 'an object', accepts: (value) => typeof value === 'object' },
  unreachable: {
    expected: 'a list of host names or addresses, for instance ["*.example.com", "192.0.2.*"]',
    accepts: (value) => listOfStrings.accepts(value) && (value as string[]).every(isHostPattern),
  },
  tsconfig: string,
  overlay: string,
};

/**
 * Reads the config of a project.
 * @param root absolute path of the project's root
 * @throws UserError when the file is not JSON, or holds an unknown key or a wrong value
 */
export function loadConfig(root: string): LoadedConfig {
  const file = path.join(root, configFileName);
  const text = readTextIfAny(file);
  if (text === undefined) return { config: {}, file: undefined };
  const value = parse(text, file, root);
  const where = (key?: string): string => position(text, file, root, key);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UserError(`${where()}: the config must be one object, for instance {"trials": 2000}`);
  }
  for (const [key, one] of Object.entries(value)) checkEntry(key, one, where);
  checkFaults((value as Config).faults, where);
  return { config: value as Config, file };
}

function checkFaults(faults: Config['faults'], where: (key: string) => string): void {
  if (faults === undefined) return;
  try {
    resolveFaults(faults);
  } catch (error) {
    if (!(error instanceof FaultSettingsError)) throw error;
    throw new UserError(`${where('faults')}: ${error.message}`);
  }
}

function checkEntry(key: string, value: unknown, where: (key: string) => string): void {
  // `$schema` is for editors.
  if (key === '$schema') return;
  if (!Object.hasOwn(schema, key)) {
    const keys = Object.keys(schema);
    const nearest = keys.find((one) => distance(one.toLowerCase(), key.toLowerCase()) <= 2);
    const advice =
      nearest === undefined ? `the keys are ${keys.join(', ')}` : `did you mean "${nearest}"?`;
    throw new UserError(`${where(key)}: unknown key "${key}": ${advice}`);
  }
  const { expected, accepts } = schema[key as keyof Config];
  if (!accepts(value)) {
    throw new UserError(
      `${where(key)}: "${key}" must be ${expected}, but it is ${JSON.stringify(value)}`,
    );
  }
}

function oneOf(...values: string[]): ValueKind {
  return {
    expected: `one of ${values.map((one) => `"${one}"`).join(', ')}`,
    accepts: (value) => values.includes(value as string),
  };
}

function wholeNumber(least: number): ValueKind {
  return {
    expected: `a whole number, ${least} or more`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= least,
  };
}

function parse(text: string, file: string, root: string): unknown {
  try {
    // No string of JSON goes over two lines: a line that begins so is a comment.
    return JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''));
  } catch {
    const ts = loadTypeScript();
    const { config, error } = ts.parseConfigFileTextToJson(file, text);
    if (error === undefined) return config;
    const { line, character } = ts.getLineAndCharacterOfPosition(
      ts.parseJsonText(file, text),
      error.start ?? 0,
    );
    throw new UserError(
      `${relativePosix(root, file)}:${line + 1}:${character + 1}: the config is not valid JSON: ` +
        ts.flattenDiagnosticMessageText(error.messageText, ' '),
    );
  }
}

/** `file:line:column` of a key at the top level, or of the file's first character. */
function position(text: string, file: string, root: string, key?: string): string {
  const ts = loadTypeScript();
  const source = ts.parseJsonText(file, text);
  const object = source.statements[0]?.expression;
  const properties = object && ts.isObjectLiteralExpression(object) ? object.properties : [];
  // With a key that is there twice, the last one counts.
  const property = [...properties]
    .reverse()
    .find((one) => one.name && ts.isStringLiteral(one.name) && one.name.text === key);
  const { line, character } = ts.getLineAndCharacterOfPosition(
    source,
    property?.getStart(source) ?? 0,
  );
  return `${relativePosix(root, file)}:${line + 1}:${character + 1}`;
}

function loadTypeScript(): typeof import('typescript') {
  return require('typescript') as typeof import('typescript');
}

/** The number of insertions, deletions and replacements between two short words (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
