/**
 * `detsim init`: a config file, a line in .gitignore, the editor plugin in tsconfig.json. Each
 * change is shown before it is made. Run again, it changes nothing.
 */

import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { RunnerName } from '../../runtime/runners/names.js';
import { configFileName, loadConfig } from '../config.js';
import { findRoot } from '../overlay/project.js';
import { readTextIfAny, writeAtomically } from '../overlay/disk.js';
import { UserError } from '../errors.js';
import { commandOf } from '../package-manager.js';
import { findRunner, usesPlugin } from '../runners.js';
import { specsWithRunner } from '../specs.js';

export interface InitFlags {
  /** Nobody is asked. */
  readonly yes?: boolean;
}

/** A file as it is to be, or what is to be said of it where nothing changes. */
type Change =
  | { readonly file: string; readonly before: string; readonly after: string }
  | { readonly said: string };

const IGNORED = '.detsim/';
const PLUGIN = { name: 'detsim/langservice', transform: 'detsim/transformer' };

/** @returns the exit status */
export async function initCommand({ yes = false }: InitFlags): Promise<number> {
  const root = findRoot(process.cwd());
  const runner = findRunner(root, loadConfig(root).config);
  const changes = [addConfig(root, runner), addIgnored(root), addPlugin(root)];
  for (const change of changes) process.stdout.write(`${shown(change)}\n`);
  const files = changes.filter((change) => 'file' in change);
  if (files.length > 0 && !yes && !(await agreed())) {
    process.stdout.write('Nothing was changed.\n');
    return 1;
  }
  for (const { file, after } of files) writeAtomically(path.join(root, file), after);
  process.stdout.write(`${hints(root, runner)}${next(root)}\n`);
  return 0;
}

/** Where nobody can be asked, to have called the command is enough. */
async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return true;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question('Make these changes? [Y/n] ');
  prompt.close();
  return /^(?:y(?:es)?)?$/i.test(answer.trim());
}

/** The lines that come to a file. */
function shown(change: Change): string {
  if (!('file' in change)) return change.said;
  const before = new Set(change.before.split('\n'));
  const added = change.after.split('\n').filter((line) => line !== '' && !before.has(line));
  return [`${change.file}:`, ...added.map((line) => `  + ${line}`)].join('\n');
}

/** The command to run, and what it would find missing. */
function next(root: string): string {
  const sweep = commandOf(root, 'detsim sweep');
  try {
    specsWithRunner({ root, cwd: root, patterns: [], config: loadConfig(root).config });
    return `Next: ${sweep}`;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `Before the first ${sweep}: ${error.message}`;
  }
}

/** What is to be done by hand, so that replay lines work in the runner itself. */
function hints(root: string, runner: RunnerName): string {
  if (usesPlugin(root, runner)) return '';
  if (runner === 'vitest') {
    return (
      "For replays in vitest itself: import detsim from 'detsim/vitest' in its configuration, and " +
      'add `plugins: [detsim()]`.\n'
    );
  }
  if (runner === 'jest') {
    return "For replays in jest itself: set `testRunner: 'detsim/jest'` in its configuration.\n";
  }
  return '';
}

function addConfig(root: string, runner: RunnerName): Change {
  const before = readTextIfAny(path.join(root, configFileName));
  if (before !== undefined) return { said: `${configFileName} is there already` };
  const after = `{
  // The test runner: mocha, vitest, jest or node:test.
  "runner": "${runner}",
  // Globs of files that stand in for something slow, such as a database. Test files always count.
  "stubs": [],
  // Packages of node_modules that get yield points as well, by the names they are required by.
  "instrument": []
}
`;
  return { file: configFileName, before: '', after };
}

function addIgnored(root: string): Change {
  const file = '.gitignore';
  const before = readTextIfAny(path.join(root, file)) ?? '';
  const lines = before.split(/\r?\n/).map((line) => line.trim().replace(/^\//, ''));
  if (lines.includes(IGNORED) || lines.includes('.detsim')) {
    return { said: `.gitignore leaves ${IGNORED} out already` };
  }
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  return { file, before, after: `${before}${end}${IGNORED}\n` };
}

/** Edits the text, so that comments and layout of the tsconfig stay as they are. */
function addPlugin(root: string): Change {
  const file = 'tsconfig.json';
  const before = readTextIfAny(path.join(root, file));
  if (before === undefined) return { said: 'no tsconfig.json: nothing to add to it' };
  if (before.includes(PLUGIN.name)) return { said: 'tsconfig.json names the plugin already' };
  const entry = JSON.stringify(PLUGIN)
    .replace(/([:,])(?=")/g, '$1 ')
    .replace(/^{|}$/g, (b) => (b === '{' ? '{ ' : ' }'));
  const after = withPlugin(before, entry);
  if (after === undefined) {
    return {
      said: `tsconfig.json has a form that is not known: add ${entry} to compilerOptions.plugins`,
    };
  }
  return { file, before, after };
}

function withPlugin(text: string, entry: string): string | undefined {
  const ts = require('typescript') as typeof import('typescript');
  const source = ts.parseJsonText('tsconfig.json', text);
  const root = source.statements[0]?.expression;
  if (root === undefined || !ts.isObjectLiteralExpression(root)) return undefined;
  const options = member(ts, root, 'compilerOptions');
  if (options === undefined)
    return insert(
      text,
      root.getStart(source) + 1,
      `"compilerOptions": { "plugins": [${entry}] }`,
      root.properties.length > 0,
    );
  if (!ts.isObjectLiteralExpression(options)) return undefined;
  const plugins = member(ts, options, 'plugins');
  if (plugins === undefined)
    return insert(
      text,
      options.getStart(source) + 1,
      `"plugins": [${entry}]`,
      options.properties.length > 0,
    );
  if (!ts.isArrayLiteralExpression(plugins)) return undefined;
  return insert(text, plugins.getStart(source) + 1, entry, plugins.elements.length > 0);
}

type TypeScript = typeof import('typescript');

function member(
  ts: TypeScript,
  object: import('typescript').ObjectLiteralExpression,
  name: string,
): import('typescript').Expression | undefined {
  for (const property of object.properties) {
    if (!ts.isPropertyAssignment(property) || !ts.isStringLiteral(property.name)) continue;
    if (property.name.text === name) return property.initializer;
  }
  return undefined;
}

/** Puts `what` at the start of a list whose first entry, if any, keeps its own line. */
function insert(text: string, at: number, what: string, followed: boolean): string {
  const next = /^\s*\n?[ \t]*/.exec(text.slice(at))![0];
  const margin = next.includes('\n') ? next.slice(next.lastIndexOf('\n')) : '';
  return `${text.slice(0, at)}${margin}${what}${followed ? ',' : ''}${text.slice(at)}`;
}
