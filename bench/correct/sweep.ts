/**
 * One sweep of a suite, by the command line as a user runs it.
 */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { forgetSeeds } from '../corpus/sweeps.js';

/** What is read of the report of a sweep. */
export interface Report {
  readonly order: string;
  readonly findings: readonly {
    readonly test: string;
    readonly file: string;
    readonly message: string;
    readonly rung: string;
    readonly seeds: readonly string[];
    readonly sentences: readonly string[];
    readonly minimal: string | null;
    readonly schedule: string | null;
    readonly replay: { readonly identical: boolean } | null;
  }[];
  readonly files: readonly {
    readonly file: string;
    readonly tests: number;
    readonly trials: number;
    readonly schedules: number;
    readonly titles: readonly string[];
    readonly loadError: string | null;
  }[];
  readonly skipped: readonly { readonly test: string; readonly reason: string }[];
}

export interface SweepOptions {
  readonly order: 'native' | 'node' | 'stubs';
  readonly trials: number;
  readonly options: readonly string[];
}

const bin = path.join(__dirname, '../../cli/bin.js');

/** A report in which the files of a later one are as that says. */
export function withFilesOf(earlier: Report | undefined, later: Report): Report {
  if (earlier === undefined) return later;
  const anew = new Set(later.files.map(({ file }) => file));
  const titles = new Set(later.files.flatMap((one) => one.titles));
  const kept = earlier.files.filter(({ file }) => !anew.has(file));
  return {
    order: later.order,
    findings: [...earlier.findings.filter(({ file }) => !anew.has(file)), ...later.findings],
    files: [...kept, ...later.files].sort((a, b) => (a.file < b.file ? -1 : 1)),
    skipped: [...earlier.skipped.filter(({ test }) => !titles.has(test)), ...later.skipped],
  };
}

/** @throws Error when there is no report: the command line says why */
export function sweep(folder: string, { order, trials, options }: SweepOptions): Report {
  forgetSeeds(folder);
  const args = ['sweep', '--reporter=json', `--order=${order}`, `--trials=${trials}`, ...options];
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status === 0 || status === 1) return JSON.parse(stdout) as Report;
  throw new Error(`sweep of ${folder} ended with ${status}: ${stderr.trim() || stdout.trim()}`);
}
