/**
 * `detsim merge`: one report of the reports of shards, and its exit status.
 */

import { readFileSync } from 'node:fs';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import { parseReport } from '../report/json.js';
import { mergeReports } from '../report/merge.js';
import { exitCode } from '../report/model.js';
import { writeReports } from '../report/outputs.js';
import type { Output } from '../report/reporters.js';
import { colorsFor } from '../report/style.js';

export interface MergeFlags {
  readonly reporter?: readonly Output[];
}

/** @returns the exit status: that of the whole sweep */
export function mergeCommand(files: readonly string[], flags: MergeFlags): number {
  const parts = files.map((name) => ({ name, report: parseReport(read(name), name) }));
  const report = mergeReports(parts);
  writeReports(report, flags.reporter, {
    root: findRoot(process.cwd()),
    colors: colorsFor(process.stdout),
  });
  return exitCode(report);
}

function read(name: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch (error) {
    throw new UserError(`${name} cannot be read: ${(error as Error).message}.`);
  }
}
