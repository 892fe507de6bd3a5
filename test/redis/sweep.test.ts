/**
 * A program of ioredis on the stand-in, swept from the command line: the planted bug is found in an
 * order that plain Node can do, replays in a fresh process, and nothing else is found.
 */

import { expect } from 'chai';
import { copyFixture, runCli } from '../cli/fixture.js';

interface Report {
  readonly findings: readonly {
    readonly test: string;
    readonly rung: string;
    readonly replay: { readonly identical: boolean };
  }[];
  readonly uncontrolled: readonly unknown[];
}

describe('a sweep of a program on the Redis stand-in', () => {
  it('finds the lost update, and nothing in a transaction or an increment', async function () {
    this.timeout(300_000);
    const folder = copyFixture('redis', ['ioredis']);
    const args = ['--reporter=json', '--order=node', '--trials=40', '--workers=1'];
    const { stdout, stderr } = await runCli(folder, 'sweep', ...args);
    expect(stdout, stderr).to.not.equal('');
    const { findings, uncontrolled } = JSON.parse(stdout) as Report;
    expect(findings.map(({ test, rung }) => [test, rung])).to.deep.equal([
      ['visits read and written back', 'node'],
    ]);
    // A fresh process has replayed it, event for event.
    expect(findings[0].replay.identical).to.equal(true);
    expect(uncontrolled).to.deep.equal([]);
  });
});
