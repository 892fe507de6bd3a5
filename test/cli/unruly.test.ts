/**
 * Code under test that does not end, that ends its process, or that does not do the same twice.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { exitCode } from '../../cli/report/model.js';
import { copyFixture, runShell } from './fixture.js';
import { sweep } from './sweep-of.js';

/** The fixture with its package, which keeps state. */
function withTally(): string {
  const folder = copyFixture('unruly');
  const packages = path.join(folder, 'packages/tally');
  fs.cpSync(packages, path.join(folder, 'node_modules/tally'), { recursive: true });
  return folder;
}

describe('unruly code under test', function () {
  this.timeout(120_000);

  it('an endless loop is cut, and reported with its seed', async () => {
    const folder = copyFixture('stuck');
    const report = await sweep(folder, 'loop.test.ts');
    expect(report.findings.map(({ kind }) => kind)).to.deep.equal(['hang']);
    const [finding] = report.findings;
    expect(finding.test).to.equal('spins when the answer is late');
    expect(finding.message).to.include('an endless loop');
    expect(finding.site).to.match(/^test\/loop\.test\.ts:9:/);
    expect(finding.seeds.length).to.be.within(1, 2);
    expect(finding.firstTrial).to.be.greaterThan(1);
    expect(finding.reproduce).to.include(`DETSIM_SEED=${finding.seeds[0]} `);
    expect(exitCode(report)).to.equal(1);
    const other = await sweep(folder, 'loop.test.ts', { workers: 1 });
    expect(other.findings[0].seeds).to.deep.equal(finding.seeds);
    expect(other.trials).to.equal(report.trials);
  });

  it('a crash of the process is reported with its seed, and reproduced by it', async () => {
    const folder = copyFixture('stuck');
    const report = await sweep(folder, 'crash.test.ts');
    const [finding] = report.findings;
    expect(finding.message).to.match(/ended: killed by SIGTRAP/);
    expect(finding.test).to.equal('ends the process when the answer is late');
    const pasted = await runShell(folder, finding.reproduce);
    expect(pasted.status).to.not.be.oneOf([0, 1]);
  });

  it('isolation is raised where a package keeps state, and the report says so', async () => {
    const folder = withTally();
    const report = await sweep(folder, '1-package-state.test.ts', { order: 3 });
    const [note] = report.files[0].notes;
    expect(note).to.include('Isolation was raised to "all": a second run of the same trial went');
    expect(note).to.match(
      /\(at first nothing more; then await #2 .* at test\/1-package-state\.test\.ts:7/,
    );
    expect(report.findings).to.deep.equal([]);
    expect(report.trials).to.equal(60);
  });

  it('it is raised too where only the outcome of a test tells', async () => {
    const report = await sweep(withTally(), '3-package-outcome.test.ts', { order: 3 });
    const [note] = report.files[0].notes;
    expect(note).to.include('(at first "is the first to ask": passed; then failed, ');
    expect(report.findings).to.deep.equal([]);
  });

  it('it is not raised for what a package does the first time only', async () => {
    const folder = withTally();
    const report = await sweep(folder, '5-package-cache.test.ts', { order: 2 });
    expect(report.files[0].notes).to.deep.equal([]);
    const [finding] = report.findings;
    expect([finding.kind, finding.replay]).to.deep.equal(['assertion', { identical: true }]);
    const pasted = await runShell(folder, finding.reproduce);
    expect(pasted.stdout).to.include('1 failing');
  });

  it('a failure that makes others fail is reported as the first seed has it', async () => {
    const report = await sweep(withTally(), '4-package-leftover.test.ts', { order: 2 });
    const [finding] = report.findings;
    expect(report.findings).to.have.length(1);
    expect([finding.kind, finding.replay]).to.deep.equal(['assertion', { identical: true }]);
    expect(finding.rung).to.not.equal('native');
    expect(finding.note).to.match(/^Not minimized: what a failing run leaves in a package/);
    expect(String(finding.chosen)).to.equal(finding.seeds[0].toString());
  });

  it('what does not replay is reported as not deterministic, with the first difference', async () => {
    const folder = copyFixture('unruly');
    const report = await sweep(folder, '2-outside-state.test.ts', { trials: 4 });
    const [finding] = report.findings;
    expect(finding.kind).to.equal('divergence');
    expect(finding.replay?.divergence?.site).to.match(/^test\/2-outside-state\.test\.ts:10:/);
    expect(exitCode(report)).to.equal(3);
  });
});
