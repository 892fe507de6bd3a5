/**
 * One sweep of a suite, by the command line as a user runs it.
 */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { forgetSeeds } from '../corpus/sweeps.js';

/** What is read of the report of a sweep. */
export interface Report {
  readonly elapsedMs: number;
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
