/**
 * Minimizing removes what it can from one failing run, and is left with more or less of one bug,
 * depending on the run. Where many deviations are left, some other runs of the same finding are
 * minimized as well, and the one with the fewest is shown.
 */

import { RUNGS } from '../../runtime/kernel/rung.js';
import { investigateJob } from './examine.js';
import type { Group } from './groups.js';
import type { Investigation } from './investigation.js';
import type { Outcome } from './lane.js';
import type { InvestigateJob } from './protocol.js';

/** What came of minimizing; undefined when the sweep was interrupted before. */
type Investigated = Outcome<Investigation> | undefined;

/** A group with the trial that is shown, and what came of minimizing it. */
export interface Simplest {
  readonly group: Group;
  readonly outcome: Investigated;
}

/** So many deviations can be kept in mind. */
const FEW = 3;

/** @param investigate does the jobs, and gives their outcomes in the same order */
export async function simplestOf(
  groups: readonly Group[],
  outcomes: readonly Investigated[],
  investigate: (jobs: readonly InvestigateJob[]) => Promise<readonly Investigated[]>,
): Promise<Simplest[]> {
  const others = groups.flatMap((group, index) =>
    (minimizedIn(outcomes[index])?.deviations ?? 0) > FEW
      ? group.others.map((seed) => ({ index, group: { ...group, chosen: { seed } } }))
      : [],
  );
  const more = await investigate(others.map(({ group }) => investigateJob(group, true)));
  const simplest: Simplest[] = groups.map((group, index) => ({ group, outcome: outcomes[index] }));
  for (const [i, { index, group }] of others.entries()) {
    if (isSimpler(more[i], simplest[index].outcome)) simplest[index] = { group, outcome: more[i] };
  }
  return simplest;
}

/** The lower rung is, as it assumes less; then the one with fewer deviations. */
function isSimpler(one: Investigated, other: Investigated): boolean {
  const [a, b] = [minimizedIn(one), minimizedIn(other)];
  if (a === undefined || b === undefined) return false;
  const rungs = RUNGS.indexOf(a.rung) - RUNGS.indexOf(b.rung);
  return rungs < 0 || (rungs === 0 && a.deviations < b.deviations);
}

function minimizedIn(outcome: Investigated): Investigation['minimized'] {
  return outcome?.status === 'done' ? outcome.result.minimized : undefined;
}
