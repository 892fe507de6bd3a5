/** `simulate` in properties of fast-check: inputs and schedules are shrunk together. */

import { expect } from 'chai';
import fc from 'fast-check';
import { schedules } from '../../runtime/fast-check/index.js';
import { FindingError, simulate } from '../../index.js';

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Loses an update when two deposits of more than 3 overlap. */
async function bank(amounts: readonly number[]): Promise<void> {
  let balance = 0;
  const deposit = async (amount: number, index: number): Promise<void> => {
    await later(1 + index * 20);
    const before = balance;
    if (amount > 3) await later(5);
    balance = (amount > 3 ? before : balance) + amount;
  };
  await Promise.all(amounts.map(deposit));
  expect(balance).to.equal(amounts.reduce((sum, amount) => sum + amount, 0));
}

const inputs = fc.array(fc.nat({ max: 100 }), { maxLength: 6 });

describe('simulate with fast-check', function () {
  this.timeout(20_000);

  it('a call in a property: the smallest input, with its smallest schedule', async () => {
    const property = fc.asyncProperty(inputs, async (amounts) => {
      await simulate({ trials: 40 }, () => bank(amounts));
    });
    const { counterexample, errorInstance } = await fc.check(property, { seed: 1 });
    expect(counterexample![0]).to.have.length(2);
    expect(errorInstance).to.be.instanceOf(FindingError);
    const { schedule } = errorInstance as FindingError;
    expect(schedule!.split(';')).to.have.length(2);
  });

  it('schedules(): both are drawn, and both shrink', async () => {
    const property = fc.asyncProperty(inputs, schedules(), async (amounts, schedule) => {
      await simulate({ schedule }, () => bank(amounts));
    });
    const found = await fc.check(property, { seed: 3, numRuns: 500 });
    const [amounts, schedule] = found.counterexample!;
    expect(amounts).to.have.length(2);
    expect(String(schedule).split(';')).to.have.length(2);
    expect(fc.stringify(schedule)).to.match(/^schedule\("stubs;\?\/body\./);
    process.env['DETSIM_SIMULATE'] = String(schedule);
    try {
      const again = await fc.check(property, { seed: 3, numRuns: 500 });
      expect(again.counterexample![0]).to.deep.equal(amounts);
    } finally {
      delete process.env['DETSIM_SIMULATE'];
    }
  });

  it('passes where every order is right', async () => {
    const property = fc.asyncProperty(schedules(), async (schedule) => {
      await simulate({ schedule }, () => bank([1, 2, 3]));
    });
    await fc.assert(property, { seed: 5, numRuns: 50 });
  });
});
