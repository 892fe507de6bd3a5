/** `detsim init` and `detsim doctor` in projects of each runner and package manager. */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { nodeVersion } from '../../cli/commands/doctor.js';
import { copyFixture, runCli } from '../cli/fixture.js';
import { copyProject } from './project.js';

const runnerIn = (folder: string) =>
  /"runner": "([^"]+)"/.exec(fs.readFileSync(path.join(folder, 'detsim.config.json'), 'utf8'))?.[1];

describe('init and doctor', function () {
  this.timeout(120_000);

  const projects = [
    {
      name: 'node-test',
      runner: 'node:test',
      lock: 'pnpm-lock.yaml',
      next: 'pnpm exec detsim sweep',
    },
    { name: 'vitest', runner: 'vitest', lock: 'yarn.lock', next: 'yarn detsim sweep' },
    { name: 'jest', runner: 'jest', lock: 'package-lock.json', next: 'npx detsim sweep' },
  ];
  for (const { name, runner, lock, next } of projects) {
    it(`${runner}: the runner is found, and everything is in order`, async () => {
      const folder = copyProject(name);
      fs.writeFileSync(path.join(folder, lock), '');
      const ran = await runCli(folder, 'init', '--yes');
      expect(ran.stdout).to.include(`Next: ${next}\n`);
      expect(runnerIn(folder)).to.equal(runner);
      const again = await runCli(folder, 'init', '--yes');
      expect(again.stdout).to.not.include('  + ');
      const doctor = await runCli(folder, 'doctor');
      expect(doctor.stdout).to.include('1 test file\n').and.include(`test runner: ${runner}`);
      expect(doctor.status, doctor.stdout).to.equal(0);
    });
  }

  it('the doctor says what is wrong, and how to mend it', async () => {
    const folder = copyFixture('lost-update');
    fs.rmSync(path.join(folder, 'test'), { recursive: true });
    fs.unlinkSync(path.join(folder, 'node_modules/detsim'));
    fs.mkdirSync(path.join(folder, 'node_modules/detsim'));
    const { status, stdout } = await runCli(folder, 'doctor');
    expect(status).to.equal(1);
    expect(stdout).to.include('✗ No test files were found').and.include('two copies of detsim');
    // The copy that npm has put there for detsim is not the project's.
    fs.rmSync(path.join(folder, 'tsconfig.json'));
    expect((await runCli(folder, 'doctor')).stdout).to.include('✓ no TypeScript: the JavaScript');
    expect(nodeVersion('18.20.1').text).to.include('too old');
    expect(nodeVersion('20.19.0').level).to.equal('ok');
  });

  it('the doctor names packages that are slow to load, or that start processes', async () => {
    const folder = copyFixture('lost-update');
    const packages = {
      heavy: 'const end = Date.now() + 400; while (Date.now() < end);',
      tool: "const { fork } = require('node:child_process'); exports.run = () => fork('x.js');",
      quiet: "const { spawn } = require('node:child_process'); exports.type = typeof spawn;",
    };
    for (const [name, text] of Object.entries(packages)) {
      const own = path.join(folder, 'node_modules', name);
      fs.mkdirSync(own);
      fs.writeFileSync(path.join(own, 'package.json'), `{ "name": "${name}" }`);
      fs.writeFileSync(path.join(own, 'index.js'), text);
      const imported = `import '${name}';\n`;
      const source = path.join(folder, 'src/account.ts');
      fs.writeFileSync(source, imported + fs.readFileSync(source, 'utf8'));
    }
    const { status, stdout } = await runCli(folder, 'doctor');
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/! heavy takes \d+ ms to load/);
    expect(stdout).to.include('! tool can start child processes (tool/index.js)');
    expect(stdout).to.not.include('quiet');
  });
});
