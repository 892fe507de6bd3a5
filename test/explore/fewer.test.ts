/** Minimizing takes deviations away that another, longer one can stand for. */

import { expect } from 'chai';
import { Kind } from '../../runtime/kernel/choice.js';
import { minimize, type Candidate } from '../../runtime/explore/minimize.js';

const late = (line: number, value: number): Candidate => ({
  kind: Kind.Await,
  scope: '',
  site: `a.ts:${line}:1`,
  task: '',
  occurrence: 1,
  value,
  rung: 2,
});

describe('fewer deviations', () => {
  it('one long delay stands for two short ones', async () => {
    const total = (deviations: readonly Candidate[]): number =>
      deviations.reduce((sum, { value }) => sum + value, 0);
    const least = await minimize([late(1, 2e6), late(2, 2e6)], (deviations) =>
      Promise.resolve(total(deviations) > 3.5e6),
    );
    expect(least.map(({ value }) => value)).to.deep.equal([5e6]);
  });

  it('keeps what cannot be spared, and rounds it up where that is simpler', async () => {
    const lines = (deviations: readonly Candidate[]): string =>
      deviations.map(({ site, value }) => `${site} ${value > 1e6 ? 'late' : 'early'}`).join();
    const both = [late(1, 1_000_001), late(2, 1_000_003)];
    const least = await minimize(both, (deviations) =>
      Promise.resolve(lines(deviations) === 'a.ts:1:1 late,a.ts:2:1 late'),
    );
    expect(least.map(({ value }) => value)).to.deep.equal([2e6, 2e6]);
  });
});
