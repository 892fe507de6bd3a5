/**
 * Of several minimized runs of one finding the simplest is shown.
 */

import { expect } from 'chai';
import type { Group } from '../../cli/sweep/groups.js';
import type { Investigation } from '../../cli/sweep/investigation.js';
import type { Outcome } from '../../cli/sweep/lane.js';
import type { InvestigateJob } from '../../cli/sweep/protocol.js';
import { simplestOf } from '../../cli/sweep/simplest.js';

type Rung = NonNullable<Investigation['minimized']>['rung'];

function minimizedTo(deviations: number, rung: Rung): Outcome<Investigation> {
  const minimized = { deviations, rung } as Investigation['minimized'];
  return { status: 'done', result: { recorded: undefined, alone: true, minimized } };
}

const group = {
  file: { file: '/p/a.test.ts', isolate: 'modules' },
  failure: { title: 'a', signature: 's' },
  chosen: { seed: 1 },
  others: [2, 3],
} as unknown as Group;

/** What is shown, and the seeds that were minimized besides the first. */
async function shownOf(first: Outcome<Investigation>, others: readonly Outcome<Investigation>[]) {
  const asked: InvestigateJob['of'][] = [];
  const [{ group: shown, outcome }] = await simplestOf([group], [first], (jobs) => {
    asked.push(...jobs.map(({ of }) => of));
    return Promise.resolve(others.slice(0, jobs.length));
  });
  return { chosen: shown.chosen, outcome, asked };
}

describe('the simplest run of a finding', () => {
  it('is the first where it has few deviations: no other is minimized', async () => {
    const first = minimizedTo(3, 'node');
    expect(await shownOf(first, [])).to.deep.equal({
      chosen: { seed: 1 },
      outcome: first,
      asked: [],
    });
  });

  it('is the one with the fewest deviations', async () => {
    const others = [minimizedTo(4, 'node'), minimizedTo(1, 'node')];
    expect(await shownOf(minimizedTo(5, 'node'), others)).to.deep.equal({
      chosen: { seed: 3 },
      outcome: others[1],
      asked: [{ seed: 2 }, { seed: 3 }],
    });
  });

  it('is never one that assumes more, and one that assumes less comes first', async () => {
    const first = minimizedTo(5, 'node');
    const higher = await shownOf(first, [minimizedTo(1, 'stubs'), minimizedTo(5, 'node')]);
    expect(higher.chosen).to.deep.equal({ seed: 1 });
    const lower = await shownOf(first, [minimizedTo(6, 'native'), minimizedTo(2, 'node')]);
    expect(lower.chosen).to.deep.equal({ seed: 2 });
  });

  it('stays the first where the others could not be minimized', async () => {
    const lost: Outcome<Investigation> = {
      status: 'done',
      result: { recorded: undefined, alone: false, minimized: undefined },
    };
    const { chosen } = await shownOf(minimizedTo(7, 'node'), [lost]);
    expect(chosen).to.deep.equal({ seed: 1 });
  });
});
