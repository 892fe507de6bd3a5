/**
 * What can be made of a finding afterwards, by the command line as a user runs it: it is replayed
 * from nothing but its traces, and confirmed on plain Node.
 *
 * A trace of a failing seed is replayed as the schedule of all its deviations, which is to say on
 * another seed: `--relocate` does that, and says how many steps went as in the trace.
 */

import { spawnSync } from 'node:child_process';
import { caseEnvironment, detsim, type Finding, type SweepRequest } from './sweeps.js';

export interface Afterwards {
  /** Whether the trace of the failing seed gives the same run without that seed. */
  readonly fromTrace: boolean;
  /** Whether the minimized trace does. */
  readonly fromMinimized: boolean;
  /** What `detsim confirm` ends with; missing above rung `node`, where there is nothing to confirm. */
  readonly confirmed?: string;
}

/** Of a finding that has been minimized, right after the sweep that wrote its traces. */
export function examineFinding(request: SweepRequest, finding: Finding): Afterwards {
  const run = (...args: string[]): { status: number | null; text: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [detsim, ...args], {
      cwd: request.folder,
      encoding: 'utf8',
      env: caseEnvironment(request),
    });
    return { status, text: stdout + stderr };
  };
  const isWhole = (trace: string | null): boolean => {
    if (trace === null) return false;
    const { status, text } = run('replay', `--trace=${trace}`, '--relocate', '--no-check');
    const [, same, all] = /(\d+) of (\d+) steps? go(?:es)? as in the trace/.exec(text) ?? [];
    return status === 1 && all !== undefined && same === all;
  };
  const replayed = {
    fromTrace: isWhole(finding.trace),
    fromMinimized: isWhole(finding.minimizedTrace),
  };
  if (finding.schedule === null || !['native', 'node'].includes(finding.rung)) return replayed;
  const { text } = run('confirm', `--schedule=${finding.schedule}`, '--no-check');
  const verdict = /^(?:not )?confirmed: .*$/m.exec(text)?.[0] ?? text.trim().slice(-300);
  return { ...replayed, confirmed: verdict };
}
