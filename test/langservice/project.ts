/**
 * Small projects for editors to open: files written to a folder of their own, with TypeScript and
 * detsim linked in as packages.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const packageRoot = path.join(__dirname, '../../..');
const temporary: string[] = [];

/** The folder of an installed package. */
export function packageFolder(name: string): string {
  return path.join(packageRoot, 'node_modules', name);
}

/** What `detsim init` writes. */
export const PLUGIN = { name: 'detsim/langservice', transform: 'detsim/transformer' };

export const OPTIONS = {
  target: 'es2024',
  lib: ['es2024'],
  module: 'nodenext',
  types: [] as string[],
  strict: true,
  noEmit: true,
  plugins: [PLUGIN],
};

/**
 * Writes a project; it is removed when the tests end.
 * @param files text by path; `tsconfig.json` names the plugin unless it is among them
 */
export function makeProject(files: Readonly<Record<string, string>>): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-editor-')));
  temporary.push(folder);
  const all = {
    'package.json': '{ "name": "app", "private": true }\n',
    'tsconfig.json': JSON.stringify({ compilerOptions: OPTIONS }),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(modules, { recursive: true });
  for (const name of ['@types', 'undici-types', 'typescript']) {
    fs.symlinkSync(packageFolder(name), path.join(modules, name), 'junction');
  }
  fs.symlinkSync(packageRoot, path.join(modules, 'detsim'), 'junction');
  return folder;
}

/** Where a piece of text stands in a text, counted from 1. */
export function placeOf(text: string, piece: string): { line: number; offset: number } {
  const at = text.indexOf(piece);
  if (at < 0) throw new Error(`there is no ${piece}`);
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, offset: lines.at(-1)!.length + 1 };
}

after(() => {
  for (const folder of temporary) fs.rmSync(folder, { recursive: true, force: true });
});
