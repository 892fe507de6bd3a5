/**
 * The packages that test files come to: how long each takes to load, and what in them no simulation
 * controls.
 *
 * Packages are those that the project's own code imports. A package is loaded in a process of its
 * own and its text is searched; neither says whether a test calls what was found, so all this is
 * worth knowing, and nothing is wrong.
 */

import { spawnSync } from 'node:child_process';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import type { Config } from '../config.js';
import { UserError } from '../errors.js';
import { isFile, readdirSync, readText } from '../overlay/disk.js';
import { Overlay } from '../overlay/overlay.js';
import { Project } from '../overlay/project.js';
import { importsOf } from '../watch/affected.js';

/** What takes longer to load is named, in ms. */
const SLOW_MS = 300;

/** What loads for longer than this is not waited for, in ms. */
const PATIENCE_MS = 20_000;

/** So many files of a package are searched. */
const MOST_FILES = 500;

/** Code that starts what runs in real time: the module, and a call of it. */
const UNCONTROLLED: readonly [name: string, module: RegExp, call: RegExp][] = [
  ['child processes', modulePattern('child_process'), /\b(?:spawn|fork|exec|execFile)(?:Sync)?\(/],
  ['worker threads', modulePattern('worker_threads'), /\bnew (?:\w+\.)?Worker\(/],
  ['a cluster', modulePattern('cluster'), /\bcluster\.fork\(/],
];

/** The names of the packages that the project's own code imports, sorted. */
export function importedPackages(
  root: string,
  config: Config,
  specs: readonly string[],
): readonly string[] {
  const overlay = new Overlay(new Project(root, config), { tests: specs });
  const files = new Set([...importsOf(overlay, specs).values()].flatMap((reached) => [...reached]));
  const names = new Set<string>();
  for (const file of files) {
    for (const request of requestsOf(overlay, file)) {
      const name = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*/.exec(request)?.[0];
      if (name === undefined || isBuiltin(request) || name === 'detsim') continue;
      if (folderOf(root, name) !== undefined) names.add(name);
    }
  }
  return [...names].sort();
}

function requestsOf(overlay: Overlay, file: string): readonly string[] {
  try {
    return overlay.get(file).requests;
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** What each of them starts that no simulation controls, as words, with where it does. */
export function uncontrolledIn(
  root: string,
  name: string,
): { readonly what: string; readonly where: string } | undefined {
  const folder = folderOf(root, name)!;
  for (const file of scriptsIn(folder)) {
    const text = readText(path.join(folder, file));
    const found = UNCONTROLLED.find(([, module, call]) => module.test(text) && call.test(text));
    if (found !== undefined) return { what: found[0], where: `${name}/${file}` };
  }
  return undefined;
}

/** Those of them that are slow to load, with how long each takes, in ms; the slowest first. */
export function slowToLoad(
  root: string,
  names: readonly string[],
): { readonly name: string; readonly ms: number }[] {
  const ran = spawnSync(process.execPath, ['--input-type=module', '--eval', LOAD, ...names], {
    cwd: root,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  const line = /^detsim-load (.*)$/gm;
  return [...ran.stdout.matchAll(line)]
    .map(([, json]) => JSON.parse(json) as { name: string; ms: number })
    .filter(({ ms }) => ms > SLOW_MS)
    .sort((a, b) => b.ms - a.ms);
}

/** Loads packages one after the other; one that does not load by itself has no time. */
const LOAD = `
for (const name of process.argv.slice(1)) {
  const started = performance.now();
  try {
    await import(name);
    const ms = performance.now() - started;
    process.stdout.write('\\ndetsim-load ' + JSON.stringify({ name, ms }) + '\\n');
  } catch {}
}
process.exit();
`;

function modulePattern(name: string): RegExp {
  return new RegExp(`(?:require\\(|\\bfrom|\\bimport\\(|\\bimport)\\s*['"](?:node:)?${name}['"]`);
}

/** Its scripts, without those of the packages in it, and without tests. */
function scriptsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?js$/.test(file))
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !/(?:^|\/)(?:node_modules|bin|tests?|benchmarks?|scripts)\//.test(file))
    .sort()
    .slice(0, MOST_FILES)
    .filter((file) => isFile(path.join(folder, file)));
}

/** The folder of a package that is installed. */
function folderOf(root: string, name: string): string | undefined {
  const places = createRequire(path.join(root, 'package.json')).resolve.paths(name) ?? [];
  return places
    .map((place) => path.join(place, name))
    .find((folder) => isFile(path.join(folder, 'package.json')));
}
