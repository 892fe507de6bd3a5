/**
 * The whole command `detsim sweep`, from cold: nothing is compiled yet.
 */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const detsim = path.join(__dirname, '../../cli/bin.js');

/** @returns milliseconds */
export function coldSweep(root: string, trials: number, ...options: string[]): number {
  fs.rmSync(path.join(root, '.detsim'), { recursive: true, force: true });
  return node(root, detsim, 'sweep', `--trials=${trials}`, ...options);
}

/** Runs a script in a process of its own. @returns milliseconds */
export function node(cwd: string, ...command: string[]): number {
  const startedMs = performance.now();
  execFileSync(process.execPath, command, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  return performance.now() - startedMs;
}
