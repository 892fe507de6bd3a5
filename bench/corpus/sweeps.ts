/**
 * One sweep of one case, by the command line as a user runs it, and what its report says.
 */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Mode } from '../corpus.js';
import type { Afterwards } from './replays.js';

/** What is read of a finding or a hazard in the report of a sweep. */
export interface Finding {
  readonly signature: string;
  readonly kind: string;
  readonly message: string;
  readonly seeds: readonly string[];
  readonly firstTrial: number;
  readonly rung: string;
  readonly decisions: number;
  /** Null when it was not minimized. */
  readonly minimized: number | null;
  readonly deviations: number | null;
  readonly schedule: string | null;
  readonly sentences: readonly string[];
  readonly replay: { readonly identical: boolean } | null;
  /** Paths of its traces. */
  readonly trace: string | null;
  readonly minimizedTrace: string | null;
  /** Only of the findings of an instrumented buggy version. */
  afterwards?: Afterwards;
}

export interface Sweep {
  readonly trials: number;
  readonly seconds: number;
  readonly findings: readonly Finding[];
  readonly hazards: readonly Finding[];
  /** Why there is no report. */
  readonly error?: string;
}

export interface SweepRequest {
  readonly folder: string;
  readonly version: 'buggy' | 'fixed';
  readonly mode: Mode;
  /** Whether the package gets yield points. */
  readonly instrument: boolean;
  readonly trials: number;
}

/** The command line. */
export const detsim = path.join(__dirname, '..', '..', 'cli', 'bin.js');

/** Times that the tests understand: nothing is set where delays are drawn at random. */
const TIMES: Record<Mode, string | undefined> = {
  random: undefined,
  fixed: 'fixed',
  instant: 'instant',
};

/** The version of the package, and how its stand-ins wait. */
export function caseEnvironment({ version, mode }: SweepRequest): NodeJS.ProcessEnv {
  return { ...process.env, PKG: version, TIMES: TIMES[mode] };
}

export function sweepCase(request: SweepRequest): Sweep {
  const config = { instrument: request.instrument ? ['buggy', 'fixed'] : [] };
  const configFile = path.join(request.folder, 'detsim.config.json');
  fs.writeFileSync(configFile, JSON.stringify(config, undefined, 2) + '\n');
  forgetSeeds(request.folder);
  const started = Date.now();
  const args = [detsim, 'sweep', '--reporter=json', `--trials=${request.trials}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: request.folder,
    encoding: 'utf8',
    env: caseEnvironment(request),
    maxBuffer: 1 << 28,
  });
  const seconds = (Date.now() - started) / 1000;
  const report = status === 0 || status === 1 ? parse(stdout) : undefined;
  if (report === undefined) {
    const error = `exit status ${status}: ${(stderr || stdout).trim().slice(0, 2000)}`;
    return { trials: 0, seconds, findings: [], hazards: [], error };
  }
  return { ...report, seconds };
}

/** What an earlier sweep has found is not run first in this one. */
export function forgetSeeds(folder: string): void {
  fs.rmSync(path.join(folder, '.detsim', 'seeds.json'), { force: true });
}

function parse(text: string): Omit<Sweep, 'seconds'> | undefined {
  try {
    const { trials, findings, hazards } = JSON.parse(text) as Sweep;
    return { trials, findings, hazards };
  } catch {
    return undefined;
  }
}
