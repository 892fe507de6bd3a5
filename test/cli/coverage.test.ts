/** What sweeps leave for the next one and for editors: failing seeds, and counts of awaits. */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { seedsFile } from '../../cli/sweep/seeds-file.js';
import { CoverageSum } from '../../cli/sweep/site-coverage.js';
import { untestedOf } from '../../cli/sweep/last-sweep.js';
import { KnownFirst } from '../../runtime/explore/strategies/known-first.js';
import { copyFixture, runCli } from './fixture.js';

describe('failing seeds', () => {
  it('are a sorted file with one entry a line, each once', () => {
    const root = copyFixture('stuck');
    const entry = (test: string, seed: number) => ({ file: 'test/a.test.ts', test, seed });
    seedsFile(root).write([entry('b', 26), entry('a', 7), entry('b', 26)]);
    const name = path.join(root, '.detsim', 'seeds.json');
    expect(fs.readFileSync(name, 'utf8')).to.equal(
      '[\n{"file":"test/a.test.ts","test":"a","seed":"7"},\n' +
        '{"file":"test/a.test.ts","test":"b","seed":"26"}\n]\n',
    );
    expect(seedsFile(root).read()).to.deep.equal([entry('a', 7), entry('b', 26)]);
    seedsFile(root).write([]);
    expect(fs.existsSync(name)).to.equal(false);
    expect(seedsFile(root).read()).to.deep.equal([]);
    fs.mkdirSync(path.dirname(name), { recursive: true });
    fs.writeFileSync(name, '[\n<<<<<<< HEAD\n]\n');
    expect(() => seedsFile(root).read()).to.throw(/seeds\.json cannot be read: .*Repair it/);
  });

  it('come right after plain Node, and leave the other trials as they are', () => {
    const added: number[] = [];
    const portfolio = {
      knownTo: 100,
      blockEnd: () => 100,
      blockBefore: (trial: number) => (trial > 50 ? { from: 2, to: 40 } : undefined),
      seed: (trial: number) => trial * 10,
      add: (trial: number) => void added.push(trial),
    };
    const seeds = new KnownFirst([7, 8], portfolio);
    expect([1, 2, 3, 4, 5].map((trial) => seeds.seed(trial))).to.deep.equal([10, 7, 8, 20, 30]);
    for (const trial of [2, 3, 4]) seeds.add(trial, { shape: 0, failures: [] });
    expect(added).to.deep.equal([2]);
    expect(seeds.knownTo).to.equal(102);
    expect(seeds.blockBefore(52)).to.equal(undefined);
    expect(seeds.blockBefore(53)).to.deep.equal({ from: 4, to: 42 });
  });
});

describe('coverage of schedules', function () {
  this.timeout(60_000);

  it('sums up, whatever the order', () => {
    const site = (position: string, overtaken: number, rejected = false) => ({
      ...{ position, kind: 'await', fn: 'f', text: 'x()', overtaken, failing: 1, rejected },
    });
    const parts = [
      { sites: [site('a.ts:10:1', 2), site('a.ts:9:1', 0)], tasks: ['f', 'g'], pairs: [] },
      { sites: [site('a.ts:10:1', 3, true)], tasks: ['h'], pairs: [['f', 'h'] as const] },
    ];
    const sums = [parts, [...parts].reverse()].map((order) => {
      const sum = new CoverageSum();
      for (const part of order) sum.add(part);
      return sum.get();
    });
    expect(sums[0]).to.deep.equal(sums[1]);
    expect(sums[0].sites.map(({ position, overtaken }) => [position, overtaken])).to.deep.equal([
      ['a.ts:9:1', 0],
      ['a.ts:10:1', 5],
    ]);
    const untested = untestedOf(sums[0]);
    expect(untested.neverOvertaken.map(({ position }) => position)).to.deep.equal(['a.ts:9:1']);
    expect(untested.neverRejected.map(({ position }) => position)).to.deep.equal(['a.ts:9:1']);
    expect(untested.neverInterleaved).to.deep.equal([
      ['f', 'g'],
      ['g', 'h'],
    ]);
  });

  it('is counted by sweeps; a seed that failed is run first by the next', async () => {
    const folder = copyFixture('lost-update');
    const args = ['sweep', '--trials=120', '--no-check', '--order=stubs', '--coverage'];
    const first = await runCli(folder, ...args);
    expect(first.status, first.stderr).to.equal(1);
    expect(first.stdout).to.match(/test\/account\.test\.ts: \d+ of \d+ awaits overtaken\n/);
    expect(first.stdout).to.match(/ {2}never rejected\n( {2}- .*\n)* {2}- src\/account\.ts:11:21/);
    const text = fs.readFileSync(path.join(folder, '.detsim/last-sweep.json'), 'utf8');
    const { files, findings } = JSON.parse(text) as {
      files: { trials: number; failed: number; sites: { [K: string]: unknown }[] }[];
      findings: { flip: object | null }[];
    };
    const read = files[0].sites.find(({ position }) => position === 'src/account.ts:11:21')!;
    expect(read).to.include({ kind: 'await', fn: 'Account.deposit', text: 'this.store.read()' });
    expect(read.overtaken).to.be.within(1, 119);
    expect(read.failing).to.be.within(1, files[0].failed);
    expect(findings[0].flip).not.to.equal(null);

    const second = await runCli(folder, ...args);
    expect(second.stdout).to.include('121 trials').and.include('first in trial 2.');
    const [seed] = seedsFile(folder).read();
    expect(second.stdout).to.match(new RegExp(`failing seeds: \\[${seed.seed} `));
  });
});
