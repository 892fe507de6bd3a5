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

/** The times of the steps in ms, by name, and a hash of what was compiled. */
interface Round {
  readonly times: ReadonlyMap<string, number>;
  readonly work: string;
}

/** What the figures are called, what they are set against, and what is asked of them. */
const steps: readonly { step: string; title: string; against?: string; limit?: string }[] = [
  { step: 'tsc', title: 'tsc, first' },
  { step: 'first', title: 'detsim compile, first', against: 'tsc', limit: 'at most 2 x tsc' },
  { step: 'first unchecked', title: 'the same without the type check', against: 'tsc' },
  {
    step: 'edit unchecked',
    title: 'the overlay after an edit of one file',
    limit: 'at most 1500 ms',
  },
  { step: 'edit', title: 'the same, waiting for the type check', against: 'tsc --incremental' },
  { step: 'unchanged', title: 'nothing changed, whole process' },
  { step: 'ready', title: 'nothing changed, every file ready', limit: 'below 100 ms' },
];

/** @param types whether to measure what takes a type check: the better part of the time */
export function benchCompile(
  modules: number,
  rounds: number,
  types: boolean,
): { figures: Figure[]; work: string } {
  const done = Array.from({ length: rounds }, () =>
    inTemporaryFolder((root) => round(root, modules, types)),
  );
  const ms = (step: string): number => median(done.map(({ times }) => times.get(step)!));
  const figures = steps
    .filter(({ step }) => done[0]!.times.has(step))
    .map(({ step, title, against, limit }) =>
      figure({
        bench: 'compile',
        figure: `${title} (${modules} files)`,
        value: ms(step),
        unit: 'ms',
        ...(types && against !== undefined ? { against: { [against]: ms(against) } } : {}),
        ...(limit === undefined ? {} : { limit }),
      }),
    );
  return { figures, work: done[0]!.work };
}

function round(root: string, modules: number, types: boolean): Round {
  writeProject(root, modules, packages);
  const times = new Map<string, number>();
  const run = (step: string, ...command: string[]): void => {
    times.set(step, time(root, ...command));
  };
  const overlay = path.join(root, '.detsim');
  if (types) {
    run('tsc', tsc, '--incremental', '-p', '.');
    run('first', detsim, 'compile');
    edit(root, modules >> 1);
    run('edit', detsim, 'compile');
    run('tsc --incremental', tsc, '--incremental', '-p', '.');
    fs.rmSync(overlay, { recursive: true });
  }
  run('first unchecked', detsim, 'compile', '--no-check');
  const work = hashOfOverlay(overlay);
  edit(root, modules >> 2);
  run('edit unchecked', detsim, 'compile', '--no-check');
  run('unchanged', detsim, 'compile', '--no-check');
  times.set('ready', untilReady(root));
  return { times, work };
}

function edit(root: string, i: number): void {
  fs.appendFileSync(path.join(root, moduleName(i)), 'export const edited = true;\n');
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
  const { figures, work } = benchCompile(Number(values.modules), Number(values.rounds), true);
  printFigures(figures, values.json);
  if (!values.json) console.log(`work: ${work}`);
}
