/** Hosts and scenario files, end to end: a project whose programs run on hosts of their own. */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { copyFixture, runCli, runShell } from './fixture.js';

describe('hosts in a sweep', function () {
  this.timeout(120_000);

  it('tests with hosts pass, and scenario files are found by themselves', async () => {
    const folder = copyFixture('hosts');
    fs.writeFileSync(
      path.join(folder, 'src/twice.scenario.ts'),
      `import { strict as assert } from 'node:assert';
       import { scenario } from 'detsim';
       scenario('the program is found', async (sim) => {
         const host = sim.host('one', './counter.ts');
         await host.ready;
         host.crash();
         await host.exited();
         assert.equal(host.running, true, 'it is down');
       });`,
    );
    const args = ['sweep', '--trials=5', '--workers=1', '--no-check', '--reporter=json'];
    const { stdout, status } = await runCli(folder, ...args);
    expect(status).to.equal(1);
    const { findings, files } = JSON.parse(stdout) as {
      findings: {
        test: string;
        message: string;
        replay: { identical: boolean };
        reproduce: string;
        schedule: string;
        unconfirmable: string;
      }[];
      files: { file: string; failed: number }[];
    };
    expect(files.map(({ file }) => file)).to.deep.equal([
      'test/hosts.test.ts',
      'src/twice.scenario.ts',
    ]);
    expect(findings).to.have.length(1);
    const [{ test, message, replay, reproduce, schedule, unconfirmable }] = findings;
    expect([test, replay.identical]).to.deep.equal(['the program is found', true]);
    expect(message).to.include('it is down');
    const replayed = await runShell(folder, reproduce);
    expect(replayed.stdout).to.include('1 failing').and.include('it is down');
    expect(unconfirmable).to.include('its hosts are processes of a simulation');
    const scenario = 'src/twice.scenario.ts';
    const confirm = ['confirm', '--no-check', `--schedule=${schedule || 'node'}`, scenario];
    const confirmed = await runCli(folder, ...confirm);
    expect(confirmed.status).to.equal(1);
    expect(confirmed.stdout).to.include(`not confirmed: ${unconfirmable}`);
    const all = await runCli(folder, 'confirm', '--no-check');
    expect(all.stdout).to.include(`\nnot tried: ${test}: ${unconfirmable}\n`);
    expect(all.status).to.equal(0);
  });
});
