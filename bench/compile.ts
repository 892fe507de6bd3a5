/**
 * How long the overlay takes: the first compile beside tsc's own, nothing changed, and one file
 * edited, with and without the type check.
 *
 *     node dist/bench/compile.js [--json] [--modules=200] [--rounds=3]
 *
 * Every figure is the wall time of a whole process, as a user waits for it.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Overlay } from '../cli/overlay/overlay.js';
import { Project } from '../cli/overlay/project.js';
import { moduleName, writeProject } from './compile/project.js';
import { figure, median, printFigures, type Figure } from './figures.js';

const packageRoot = path.join(__dirname, '../..');
const packages = path.join(packageRoot, 'node_modules');
const detsim = path.join(__dirname, '../cli/bin.js');
const tsc = path.join(packages, 'typescript/bin/tsc');

type Measurement =
  'tsc' | 'tsc incremental' | 'first' | 'first unchecked' | 'unchanged' | 'edit unchecked' | 'edit';

/** The times of each step in ms, and a hash of what was compiled. */
interface Round {
  readonly times: Record<Measurement | 'ready', number>;
  readonly work: string;
}

export function benchCompile(modules: number, rounds: number): { figures: Figure[]; work: string } {
  const done = Array.from({ length: rounds }, () =>
    inTemporaryFolder((root) => round(root, modules)),
  );
  const ms = (name: keyof Round['times']): number => median(done.map(({ times }) => times[name]));
  const one = (name: keyof Round['times'], title: string, rest: Partial<Figure> = {}): Figure =>
    figure({ bench: 'compile', figure: title, value: ms(name), unit: 'ms', ...rest });
  const figures = [
    one('tsc', `tsc, first, ${modules} files`),
    one('first', 'detsim compile, first', {
      against: { tsc: ms('tsc') },
      limit: 'at most 2 x tsc',
    }),
    one('first unchecked', 'the same without the type check', { against: { tsc: ms('tsc') } }),
    one('edit unchecked', 'overlay after an edit of one file', { limit: 'at most 1500 ms' }),
    one('edit', 'the same, and types checked', {
      against: { 'tsc --incremental': ms('tsc incremental') },
    }),
    one('unchanged', 'nothing changed, whole process'),
    one('ready', 'nothing changed, until every file is ready', { limit: 'below 100 ms' }),
  ];
  return { figures, work: done[0]!.work };
}

function round(root: string, modules: number): Round {
  writeProject(root, modules, packages);
  const compile = (...flags: string[]): number => time(root, detsim, 'compile', ...flags);
  const edit = (i: number): void =>
    fs.appendFileSync(path.join(root, moduleName(i)), `export const edited = ${Date.now()};\n`);
  const overlay = path.join(root, '.detsim');

  const tscFirst = time(root, tsc, '--incremental', '-p', '.');
  const first = compile();
  const work = hashOfOverlay(overlay);
  edit(modules >> 1);
  const editUnchecked = compile('--no-check');
  edit(modules >> 2);
  const edited = compile();
  const tscIncremental = time(root, tsc, '--incremental', '-p', '.');
  const unchanged = compile();
  const ready = untilReady(root);
  fs.rmSync(overlay, { recursive: true });
  const times = {
    tsc: tscFirst,
    'tsc incremental': tscIncremental,
    first,
    'first unchecked': compile('--no-check'),
    unchanged,
    'edit unchecked': editUnchecked,
    edit: edited,
    ready,
  };
  return { times, work };
}

/** What a worker does before its first trial when everything is in the overlay. */
function untilReady(root: string): number {
  const startedMs = performance.now();
  const overlay = new Overlay(new Project(root, {}), {
    tests: [path.join(root, 'test/all.test.ts')],
  });
  for (const file of overlay.project.tsconfigs[0]!.files) overlay.get(file);
  if (overlay.compiledCount > 0) throw new Error('the overlay was not up to date');
  return performance.now() - startedMs;
}

function time(cwd: string, ...command: string[]): number {
  const startedMs = performance.now();
  execFileSync(process.execPath, command, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  return performance.now() - startedMs;
}

/** The names of the compiled files; they hold hashes of their content's sources. */
function hashOfOverlay(folder: string): string {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => name.endsWith('.js')).map((name) => name.split('.')[0]);
  return createHash('sha256').update(sources.sort().join('\n')).digest('hex').slice(0, 12);
}

function inTemporaryFolder<T>(work: (folder: string) => T): T {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-bench-')));
  try {
    return work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (require.main === module) {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      modules: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const { figures, work } = benchCompile(Number(values.modules), Number(values.rounds));
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}
