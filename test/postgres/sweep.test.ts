/**
 * Programs on the stand-in, swept from the command line: the planted bugs are found in an order
 * that plain Node can do, and nothing else is.
 */

import { expect } from 'chai';
import { copyFixture, runCli } from '../cli/fixture.js';

interface Report {
  readonly findings: readonly {
    readonly test: string;
    readonly message: string;
    readonly rung: string;
    readonly replay: { readonly identical: boolean };
  }[];
  readonly uncontrolled: readonly unknown[];
}

describe('a sweep of programs on the PostgreSQL stand-in', () => {
  it('finds a lost update and a failure that is not retried, and no more', async function () {
    this.timeout(120_000);
    const folder = copyFixture('postgres', ['pg']);
    const { stdout, status } = await runCli(
      folder,
      'sweep',
      '--reporter',
      'json',
      '--trials',
      '12',
    );
    const { findings, uncontrolled } = JSON.parse(stdout) as Report;
    expect(status).to.equal(1);
    expect(findings.map(({ test }) => test).sort()).to.deep.equal([
      'deposits read and written back',
      'deposits serializable',
    ]);
    for (const finding of findings) {
      expect(finding.rung).to.equal('node');
      // A fresh process has replayed it, event for event.
      expect(finding.replay.identical).to.equal(true);
    }
    expect(uncontrolled).to.deep.equal([]);
  });
});
