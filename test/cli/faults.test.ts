/**
 * Faults from the seed, end to end: asked for in the config and on the command line, found,
 * minimized, said in words, and replayed from the line that was printed.
 */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { faultsOf, faultText, parseFaultText } from '../../cli/faults.js';
import { UserError } from '../../cli/errors.js';
import { buggify, failpoint } from '../../index.js';
import { faultsOfRun } from '../../runtime/explore/swarm.js';
import { resolveFaults } from '../../runtime/node/fault-settings.js';
import { noFaults } from '../../runtime/node/faults.js';
import { copyFixture, runCli, runShell } from './fixture.js';

interface Found {
  readonly test: string;
  readonly rung: string;
  readonly schedule: string;
  readonly needs: readonly string[];
  readonly sentences: readonly string[];
  readonly replay: { readonly identical: boolean };
  readonly minimal: string;
}

async function sweep(folder: string, ...options: string[]): Promise<Found[]> {
  const args = ['sweep', '--trials=60', '--workers=1', '--no-check', '--reporter=json', ...options];
  const { stdout, stderr } = await runCli(folder, ...args);
  expect(stderr).to.not.match(/^detsim: /m);
  return (JSON.parse(stdout) as { findings: Found[] }).findings;
}

describe('faults from the seed', function () {
  this.timeout(120_000);

  it('are found, minimized and replayed', async () => {
    const folder = copyFixture('faulty');
    const found = await sweep(folder, '--buggify');
    const shelf = found.find(({ test }) => test === 'orders stay on the shelf')!;
    expect(shelf.schedule).to.match(/^node;buggify\(shelf\.small\)#[23]$/);
    expect(shelf.needs).to.deep.equal(['what the program asks for by `buggify`']);
    expect(shelf.sentences).to.have.length(1);
    expect(shelf.replay.identical).to.equal(true);
    const charged = found.find(({ test }) => test === 'orders are charged once')!;
    expect(charged.schedule).to.match(/^node;failpoint\(orders\.commit\)\/function:\d+\.1#1$/);
    for (const { minimal, test } of [shelf, charged]) {
      const { status, stdout } = await runShell(folder, minimal);
      expect(status, minimal).to.equal(1);
      expect(stdout).to.include(test.slice('orders '.length)).and.include('1 failing');
    }
    const args = ['confirm', '--no-check', `--schedule=${charged.schedule}`];
    expect((await runCli(folder, ...args)).stdout).to.include('confirmed: it fails');
  });

  it('do not strike unless they are asked for', async () => {
    const folder = copyFixture('faulty');
    fs.rmSync(path.join(folder, 'detsim.config.json'));
    expect(await sweep(folder)).to.deep.equal([]);
  });

  it('are refused where they make no sense', async () => {
    const folder = copyFixture('faulty');
    const { status, stderr } = await runCli(folder, 'sweep', '--no-space=2');
    expect(status).to.equal(2);
    expect(stderr).to.include('--no-space=2').and.include('a rate from 0 to 1');
    fs.writeFileSync(
      path.join(folder, 'detsim.config.json'),
      '{\n  "trials": 5,\n  "faults": { "resets": 0.1 }\n}\n',
    );
    const config = await runCli(folder, 'sweep');
    expect(config.status).to.equal(2);
    expect(config.stderr).to.match(/detsim\.config\.json:3:3: "resets" is no kind of fault/);
  });
});

describe('settings of faults', () => {
  it('go through the environment', () => {
    const settings = faultsOf({ reset: true, latency: '1ms..20ms', swarm: true, buggify: true });
    const text = faultText(settings!);
    expect(text).to.equal('latency=1ms..20ms reset=0.01 buggify swarm');
    expect(parseFaultText(text)).to.deep.equal(settings);
    expect(faultsOf({})).to.equal(undefined);
    expect(() => parseFaultText('reset=no')).to.throw(UserError, '"reset" must be a rate');
    expect(() => parseFaultText('sharks')).to.throw(UserError, 'no kind of fault');
  });

  it('are resolved to nanoseconds', () => {
    const faults = resolveFaults({ latency: '0.5ms..2s(pareto)', torn: 0.1, crash: 0.01 });
    expect(faults.sockets.latency).to.deep.equal({ min: 5e5, max: 2e9, distribution: 'pareto' });
    expect(faults.files).to.deep.equal({ tornWrite: 0.1 });
    expect(faults.hosts).to.deep.equal({ crash: 0.01 });
    expect(() => resolveFaults({ latency: '3ms..2ms' })).to.throw('ends before it begins');
    const failpoints = { 'db.commit': { rat: 1 } as object };
    expect(() => resolveFaults({ failpoints })).to.throw('failpoints["db.commit"].rat');
  });

  it('in a swarm: each kind is on in about half of the runs, as it was given', () => {
    const faults = resolveFaults({ swarm: true, reset: 0.03, torn: 0.2 });
    const runs = Array.from({ length: 400 }, (_, i) => faultsOfRun(i + 1, faults));
    const resets = runs.filter(({ sockets }) => sockets.reset !== undefined);
    expect(resets.length).to.be.within(150, 250);
    expect(new Set(resets.map(({ sockets }) => sockets.reset))).to.deep.equal(new Set([0.03]));
    expect(runs.some((one) => one.sockets.reset && one.files.tornWrite)).to.equal(true);
    expect(runs.every(({ sockets }) => sockets.drop === undefined)).to.equal(true);
    expect(faultsOfRun(7, faults)).to.deep.equal(faultsOfRun(7, faults));
  });

  it('in a swarm without rates these are drawn, and a replay has all kinds', () => {
    const faults = resolveFaults({ swarm: true });
    const rates = Array.from({ length: 50 }, (_, i) => faultsOfRun(i + 1, faults).sockets.reset);
    expect(new Set(rates).size).to.be.greaterThan(10);
    const replayed = faultsOfRun(undefined, faults);
    expect(Object.keys(replayed.sockets)).to.include.members(['reset', 'latency', 'drop']);
    expect(replayed.sockets.latency!.min).to.equal(0);
    expect(faultsOfRun(3, noFaults)).to.equal(noFaults);
  });

  it('buggify and failpoint do nothing outside a simulation', () => {
    expect(buggify('a', 1)).to.equal(false);
    expect(failpoint('a')).to.equal(undefined);
    expect(() => buggify('', 1)).to.throw(TypeError);
    expect(() => buggify('a', 2)).to.throw(RangeError);
  });
});
