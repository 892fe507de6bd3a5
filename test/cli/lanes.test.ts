/** Which lanes of this machine take trials, and when. */

import { expect } from 'chai';
import { copyFixture } from './fixture.js';
import { sweep } from './sweep-of.js';

/** What a sweep of two lanes finds, the second of which waits. */
async function found(waits: () => boolean) {
  const report = await sweep(copyFixture('lost-update'), 'account.test.ts', { waits });
  const findings = report.findings.map((one) => [one.signature, one.firstTrial, one.minimal]);
  return { trials: report.trials, shapes: report.shapes, passed: report.passed, findings };
}

describe('lanes', function () {
  this.timeout(120_000);

  it('one that waits leaves the trials to the others, and what is found is the same', async () => {
    let asked = 0;
    const withoutIt = await found(() => ++asked > 0);
    expect(asked).to.be.above(0);
    expect(withoutIt.trials).to.equal(60);
    expect(withoutIt.findings).to.have.length.above(0);

    asked = 0;
    expect(await found(() => ++asked < 3)).to.deep.equal(withoutIt);
    expect(asked).to.be.above(2);
  });
});
