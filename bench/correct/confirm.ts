/**
 * Confirms a finding on rung `node` on plain Node, by the command line as a user does.
 */

import { spawnSync } from 'node:child_process';
import path from 'node:path';

export interface Confirmation {
  readonly confirmed: boolean;
  /** The verdict, in a sentence. */
  readonly verdict: string;
}

const bin = path.join(__dirname, '../../cli/bin.js');

/**
 * @param folder of the project
 * @param options of the sweep that has found it
 */
export function confirm(
  folder: string,
  finding: {
    readonly file: string;
    readonly seeds: readonly string[];
    readonly schedule: string | null;
  },
  options: readonly string[],
): Confirmation {
  const { file, seeds, schedule } = finding;
  const of = schedule === null ? `--seed=${seeds[0]}` : `--schedule=${schedule}`;
  const args = ['confirm', file, of, '--no-check'];
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args, ...options], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0 && status !== 1) throw new Error(stderr.trim() || stdout.trim());
  const verdict = /^(?:not )?confirmed: .*$/m.exec(stdout)?.[0] ?? '';
  return { confirmed: status === 0, verdict };
}
