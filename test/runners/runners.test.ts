/**
 * Projects of node:test, vitest and jest: a sweep finds in each what it finds in the mocha twin,
 * with the same seeds and the same minimal schedule, and the lines that it prints replay it.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { copyFixture, runCli, runShell, type Ran } from '../cli/fixture.js';
import { copyProject } from './project.js';

interface Finding {
  readonly test: string;
  readonly message: string;
  readonly seeds: string[];
  readonly rung: string;
  readonly reproduce: string;
  readonly minimal: string;
}

const SWEEP = ['sweep', '--trials=60', '--no-check', '--workers=1', '--reporter=json'];

async function sweep(folder: string): Promise<Finding[]> {
  const { stdout, stderr } = await runCli(folder, ...SWEEP);
  expect(stdout, stderr).to.match(/^\{/);
  return (JSON.parse(stdout) as { findings: Finding[] }).findings;
}

const scheduleIn = (line: string) => /DETSIM_REPLAY="([^"]*)"/.exec(line)?.[1];

describe('projects of other runners', function () {
  this.timeout(120_000);
  let twin: Finding;

  before(async () => {
    [twin] = await sweep(copyFixture('lost-update'));
  });

  const runners = [
    {
      name: 'node-test',
      passing: 'node --test',
      shows: /(?:not ok \d+ -|✖) keeps every deposit[^]*1 == 3/,
    },
    {
      name: 'vitest',
      passing: 'npx vitest run',
      shows: /keeps every deposit[^]*expected 1 to equal 3/,
    },
    { name: 'jest', passing: 'npx jest', shows: /● account › keeps every deposit[^]*Received: 1/ },
  ];

  for (const { name, passing, shows } of runners) {
    describe(name, () => {
      let folder: string;
      let found: Finding;
      before(async () => {
        folder = copyProject(name);
        [found] = await sweep(folder);
      });

      it('is swept like its mocha twin', () => {
        expect(found.test).to.equal(twin.test);
        expect(found.seeds).to.deep.equal(twin.seeds);
        expect(found.rung).to.equal(twin.rung);
        expect(scheduleIn(found.minimal)).to.equal(scheduleIn(twin.minimal));
      });

      it('replays by the lines that the sweep prints, in the runner itself', async () => {
        for (const line of [found.reproduce, found.minimal]) {
          const ran = await runShell(folder, line);
          expect(plain(ran), line).to.match(shows);
          expect(ran.status, plain(ran)).to.equal(1);
        }
      });

      it('replays by `detsim replay`', async () => {
        const schedule = `--schedule=${scheduleIn(found.minimal)}`;
        const ran = await runCli(folder, 'replay', schedule, '--no-check');
        expect(ran.stdout).to.include('identical');
        expect(ran.status).to.equal(1);
      });

      // node:test needs a Node that loads TypeScript by itself.
      if (name !== 'node-test') {
        it('leaves the runner alone without a seed', async () => {
          const ran = await runShell(folder, passing);
          expect(ran.status, plain(ran)).to.equal(0);
          expect(plain(ran)).to.match(/3 passed/);
        });
      }
    });
  }
});

describe('a project of jest whose configuration does not name detsim', function () {
  this.timeout(120_000);

  it('is not disturbed by the overlay, and has lines that replay all the same', async () => {
    const folder = copyProject('jest');
    const text = fs.readFileSync(path.join(folder, 'src/account.ts'), 'utf8');
    const spec = fs.readFileSync(path.join(folder, 'test/account.test.ts'), 'utf8');
    fs.rmSync(path.join(folder, 'test'), { recursive: true });
    fs.rmSync(path.join(folder, 'jest.config.js'));
    // Folders of this name are test files for jest, wherever they are.
    fs.mkdirSync(path.join(folder, '__tests__'));
    const javascript = (source: string): string =>
      ts.transpile(source, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS });
    fs.writeFileSync(path.join(folder, '__tests__/account.js'), javascript(spec));
    fs.writeFileSync(path.join(folder, 'src/account.js'), javascript(text));
    fs.rmSync(path.join(folder, 'src/account.ts'));
    const [found] = await sweep(folder);
    const again = await sweep(folder);
    expect(again).to.have.length(1);
    expect(again[0].seeds).to.deep.equal([...new Set(again[0].seeds)]);
    const own = await runShell(folder, 'npx jest');
    expect(plain(own)).to.include('Test Suites: 1 passed, 1 total');
    for (const line of [found.reproduce, found.minimal]) {
      expect(line).to.match(/^npx detsim replay __tests__\/account\.js --\w+=/);
      const replay = await runShell(folder, line);
      expect(replay.stdout, line).to.include('identical');
      expect(replay.status, line).to.equal(1);
    }
  });
});

describe('faults in a project of node:test', function () {
  this.timeout(120_000);

  it('strike again in the lines that the sweep prints', async () => {
    const folder = copyProject('node-test');
    fs.writeFileSync(
      path.join(folder, 'test/account.test.ts'),
      `import assert from 'node:assert';
       import { it } from 'node:test';
       import { buggify } from 'detsim';
       it('stands small batches', async () => {
         await null;
         assert.equal(buggify('batch.small', 0.5), false);
       });`,
    );
    const { stdout, stderr } = await runCli(folder, ...SWEEP, '--buggify');
    expect(stdout, stderr).to.match(/^\{/);
    const [found] = (JSON.parse(stdout) as { findings: Finding[] }).findings;
    for (const line of [found.reproduce, found.minimal]) {
      const ran = await runShell(folder, line);
      expect(plain(ran), line).to.match(/(?:not ok \d+ -|✖) stands small batches/);
    }
  });
});

/** All that was written, without colours. */
function plain({ stdout, stderr }: Ran): string {
  return (stdout + stderr).replace(/\u001b\[[\d;]*m/g, '');
}
