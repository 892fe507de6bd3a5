/**
 * What a user meets when something is wrong: one paragraph, exit status 2, no stack of ours.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { copyFixture, ended, runCli, startCli } from './fixture.js';

describe('errors of the command line', function () {
  this.timeout(120_000);
  let folder: string;

  before(() => {
    folder = copyFixture('lost-update');
  });

  const cases: [args: string[], said: string][] = [
    [['sweep', '--trails=5'], "Unknown option '--trails=5'. Did you mean --trials?"],
    [['swep'], "Unknown command 'swep'. Did you mean sweep?"],
    [['sweep', '--trials=many'], '--trials must be a whole number'],
    [['sweep', '--order=fast'], '--order must be one of native, node, stubs, any'],
    [['sweep', 'test/none.test.ts'], 'No test file matches "test/none.test.ts"'],
    [['sweep', '--instrument=nonesuch'], 'not installed'],
    [['replay'], 'Say what to replay'],
    [['replay', '--seed=1', '--schedule=native'], 'not several'],
    [['replay', '--schedule=sometimes'], 'begins with "sometimes", which is no rung'],
    [['replay', '--trace=package.json'], 'not a trace of detsim'],
    [[], 'No command was given'],
  ];
  for (const [args, said] of cases) {
    it(`detsim ${args.join(' ')}`, async () => {
      const ran = await runCli(folder, ...args);
      expect(ran.stderr).to.include(said);
      expect(ran.stderr.trim().split('\n')).to.have.length(1);
      expect(ran.stdout).to.equal('');
      expect(ran.status).to.equal(2);
    });
  }

  it('type errors are reported as tsc does, and --no-check goes on', async () => {
    const broken = copyFixture('lost-update');
    const source = path.join(broken, 'src/account.ts');
    fs.appendFileSync(source, 'export const wrong: string = 1;\n');
    const checked = await runCli(broken, 'sweep', '--trials=20');
    expect(checked.status).to.equal(2);
    expect(checked.stderr).to.match(/src\/account\.ts[:(]\d+[:,]14.*error TS2322/);
    // Seeds that failed are run first from now on, and this is about types.
    fs.rmSync(path.join(broken, '.detsim/seeds.json'), { force: true });
    const unchecked = await runCli(broken, 'sweep', '--trials=2', '--no-check');
    expect(unchecked.status, unchecked.stderr).to.equal(0);
  });

  it('a test that does not load', async () => {
    const broken = copyFixture('lost-update');
    const spec = path.join(broken, 'test/account.test.ts');
    fs.appendFileSync(spec, "import '../src/nowhere';\n");
    const ran = await runCli(broken, 'sweep', '--trials=20', '--no-check');
    expect(ran.status).to.equal(2);
    expect(ran.stdout).to.include('test/account.test.ts does not load').and.include('nowhere');
    expect(ran.stdout).to.include('No trial was run.');
  });

  it('a syntax error', async () => {
    const broken = copyFixture('lost-update');
    fs.appendFileSync(path.join(broken, 'src/account.ts'), 'const = 1;\n');
    const ran = await runCli(broken, 'sweep', '--trials=20', '--no-check');
    expect(ran.status).to.equal(2);
    expect(ran.stderr).to.match(/src\/account\.ts:\d+:7/);
  });

  it('--version does not load any package', async () => {
    const preload = path.join(folder, 'preload.cjs');
    const packages = 'Object.keys(require.cache).filter((file) => /node_modules/.test(file))';
    fs.writeFileSync(preload, `process.on('exit', () => console.error(${packages}.length));\n`);
    const version = await ended(startCli(folder, ['--version'], ['--require', preload]));
    expect(version.stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(version.stderr).to.equal('0\n');
    const help = await ended(startCli(folder, ['--help'], ['--require', preload]));
    expect(Number(help.stderr)).to.be.within(1, 20);
  });
});
