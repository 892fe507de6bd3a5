/**
 * `detsim init`: a config file, a line in .gitignore, the editor plugin in tsconfig.json. Run
 * again, it changes nothing.
 */

import path from 'node:path';
import { configFileName } from '../config.js';
import { findRoot } from '../overlay/project.js';
import { existsSync, readTextIfAny, writeAtomically } from '../overlay/disk.js';

/**
 * `stubs`: files that stand in for something slow. `instrument`: packages that get yield points.
 */
const CONFIG = `{
  "stubs": [],
  "instrument": []
}
`;

const IGNORED = '.detsim/';
const PLUGIN = { name: 'detsim/langservice', transform: 'detsim/transformer' };

/** @returns the exit status */
export function initCommand(): number {
  const root = findRoot(process.cwd());
  const said = [addConfig(root), addIgnored(root), addPlugin(root)];
  process.stdout.write(`${said.join('\n')}\nNext: npx detsim sweep\n`);
  return 0;
}

function addConfig(root: string): string {
  const file = path.join(root, configFileName);
  if (existsSync(file)) return `${configFileName} is there already`;
  writeAtomically(file, CONFIG);
  return `${configFileName} written`;
}

function addIgnored(root: string): string {
  const file = path.join(root, '.gitignore');
  const text = readTextIfAny(file) ?? '';
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, ''));
  if (lines.includes(IGNORED) || lines.includes('.detsim')) {
    return `.gitignore leaves ${IGNORED} out already`;
  }
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  writeAtomically(file, `${text}${end}${IGNORED}\n`);
  return `.gitignore leaves ${IGNORED} out`;
}

/** Edits the text, so that comments and layout of the tsconfig stay as they are. */
function addPlugin(root: string): string {
  const file = path.join(root, 'tsconfig.json');
  const text = readTextIfAny(file);
  if (text === undefined) return 'no tsconfig.json: nothing to add to it';
  if (text.includes(PLUGIN.name)) return 'tsconfig.json names the plugin already';
  const entry = JSON.stringify(PLUGIN)
    .replace(/([:,])(?=")/g, '$1 ')
    .replace(/^{|}$/g, (b) => (b === '{' ? '{ ' : ' }'));
  const edited = withPlugin(text, entry);
  if (edited === undefined) {
    return `tsconfig.json has a form that is not known: add ${entry} to compilerOptions.plugins`;
  }
  writeAtomically(file, edited);
  return 'tsconfig.json names the plugin';
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
