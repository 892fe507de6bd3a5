/**
 * Why `detsim confirm` does not try to make a run happen on plain Node: there a disk cannot be told
 * to fail, a process is one process, and a test that waits really waits.
 */

import { needsOf } from '../../runtime/explore/fault-words.js';
import { Kind } from '../../runtime/kernel/choice.js';
import type { TrialResult } from '../../runtime/mocha/types.js';

/** A test that takes longer than this is not tried on plain Node, in ms. */
export const LONGEST_MS = 60_000;

/**
 * The reason, as a clause; undefined when it is tried. (What is above rung `node` is not tried
 * either; its rung says so.)
 * @param needs what goes wrong in the run
 */
export function unconfirmable(needs: readonly string[], result: TrialResult): string | undefined {
  if (!needs.every(isOfProgram)) {
    return `it needs ${needs.join(' and ')}, which is not done to plain Node`;
  }
  if (result.hosts) return 'its hosts are processes of a simulation, and plain Node is one process';
  const ms = result.virtualNs / 1e6;
  if (ms <= LONGEST_MS) return undefined;
  return `the test waits for ${Math.round(ms / 1000)} s, and plain Node really would`;
}

/** What the program itself provides for happens on plain Node as well. */
function isOfProgram(need: string): boolean {
  return need === needsOf([Kind.Buggify])[0] || need === needsOf([Kind.Failpoint])[0];
}
