/**
 * Programs on the stand-in, swept from the command line: the planted bugs are found in the order
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

describe('a sweep of programs on the Redis stand-in', () => {
  it('finds a lost update and a lock that expires too soon, and no more', async function () {
    this.timeout(120_000);
    const folder = copyFixture('redis', ['ioredis', 'redis']);
    const { stdout, status } = await runCli(folder, 'sweep', '--reporter', 'json', '--trials', '20');
    const { findings, uncontrolled } = JSON.parse(stdout) as Report;
    expect(status).to.equal(1);
    expect(findings.map(({ test }) => test).sort()).to.deep.equal([
      'a lock that expires soon',
      'visits read and written back',
    ]);
    for (const finding of findings) {
      expect(finding.rung).to.equal('node');
      // A fresh process has replayed it, event for event.
      expect(finding.replay.identical).to.equal(true);
    }
    expect(uncontrolled).to.deep.equal([]);
  });
});
