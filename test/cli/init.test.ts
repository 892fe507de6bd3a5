/**
 * `detsim init`: what it adds, and that it adds it once.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { copyFixture, runCli } from './fixture.js';

const FILES = ['detsim.config.json', '.gitignore', 'tsconfig.json'];

function read(folder: string): string[] {
  return FILES.map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
}

describe('detsim init', function () {
  this.timeout(20_000);

  it('adds config, ignored folder and plugin, and nothing the second time', async () => {
    const folder = copyFixture('lost-update');
    const ran = await runCli(folder, 'init', '--yes');
    expect(ran.status).to.equal(0);
    expect(ran.stdout).to.include('  + .detsim/').and.include('Next: npx detsim sweep');
    const once = read(folder);
    expect(once[0]).to.include('  // The test runner');
    expect(JSON.parse(once[0].replace(/^ *\/\/.*$/gm, ''))).to.deep.equal({
      runner: 'mocha',
      stubs: [],
      instrument: [],
    });
    expect(once[1]).to.equal('.detsim/\n');
    const { plugins, target } = (
      JSON.parse(once[2]) as { compilerOptions: { plugins: object[]; target: string } }
    ).compilerOptions;
    expect(plugins).to.deep.equal([
      { name: 'detsim/langservice', transform: 'detsim/transformer' },
    ]);
    expect(target).to.equal('es2022');
    const again = await runCli(folder, 'init');
    expect(again.stdout).to.include('already');
    expect(read(folder)).to.deep.equal(once);
  });

  it('says what is missing where there are no tests yet', async () => {
    const folder = copyFixture('lost-update');
    fs.rmSync(path.join(folder, 'test'), { recursive: true });
    const { status, stdout } = await runCli(folder, 'init');
    expect(status).to.equal(0);
    expect(stdout).to.include('\nBefore the first npx detsim sweep: No test files were found in ');
  });

  it('keeps comments, layout and what is there', async () => {
    const folder = copyFixture('lost-update');
    const tsconfig = path.join(folder, 'tsconfig.json');
    const text =
      '{\n  // ours\n  "compilerOptions": {\n    "plugins": [\n      { "name": "x" }\n    ],\n  },\n}\n';
    fs.writeFileSync(tsconfig, text);
    fs.writeFileSync(path.join(folder, '.gitignore'), 'out');
    await runCli(folder, 'init');
    const [, ignored, edited] = read(folder);
    expect(ignored).to.equal('out\n.detsim/\n');
    const entry = '{ "name": "detsim/langservice", "transform": "detsim/transformer" }';
    const before = '"plugins": [\n      ';
    expect(edited).to.equal(text.replace(before, `${before}${entry},\n      `));
  });

  it('in a tsconfig without compiler options', async () => {
    const folder = copyFixture('lost-update');
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), '{ "include": ["src"] }\n');
    await runCli(folder, 'init');
    const parsed = JSON.parse(read(folder)[2]) as { compilerOptions: { plugins: object[] } };
    expect(parsed.compilerOptions.plugins).to.have.length(1);
  });
});
