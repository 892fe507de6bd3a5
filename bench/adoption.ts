/**
 * What it takes to try detsim: commands and seconds from a project with one mocha test to the first
 * finding, by the commands of the README; and what `npm i detsim` brings along.
 *
 *     node dist/bench/adoption.js [--json]
 *
 * The package is packed as for publishing and installed from the registry's packages, into folders
 * that have nothing.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { figure, printFigures, type Figure } from './figures.js';

const repository = path.join(__dirname, '../..');

/** A project as it is checked out: its packages are not installed yet. */
const PROJECT: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'app',
    private: true,
    scripts: { test: 'mocha' },
    devDependencies: { mocha: '^12.0.0' },
  }),
  'src/cache.js': `
exports.Cache = class Cache {
  constructor(load) {
    this.load = load;
    this.values = new Map();
  }

  async get(key) {
    if (!this.values.has(key)) this.values.set(key, await this.load(key));
    return this.values.get(key);
  }
};
`,
  'test/cache.test.js': `
const assert = require('node:assert');
const { Cache } = require('../src/cache.js');

it('loads a key once', async () => {
  let loads = 0;
  const cache = new Cache(async (key) => {
    loads++;
    return key;
  });
  const later = new Promise((resolve) => setTimeout(() => resolve(cache.get('a')), 5));
  await Promise.all([cache.get('a'), later]);
  assert.equal(loads, 1);
});
`,
};

/** @throws Error when the commands do not end with a finding */
export function benchAdoption(): { figures: Figure[]; work: string } {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-adoption-')));
  try {
    const tarball = pack(folder);
    const alone = path.join(folder, 'alone');
    write(alone, { 'package.json': '{ "private": true }' });
    execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: alone });
    const { packages, bytes } = broughtTo(alone);

    const app = path.join(folder, 'app');
    write(app, PROJECT);
    const commands = ['npm install', ...readmeCommands()];
    const startedMs = performance.now();
    const outputs = commands.map((command) =>
      run(command.replace('-D detsim', `-D ${tarball}`), app),
    );
    const seconds = (performance.now() - startedMs) / 1000;
    const { status, output } = outputs.at(-1)!;
    const minimal = /^minimal: .*$/m.exec(output)?.[0];
    if (status !== 1 || minimal === undefined) throw new Error(`No finding:\n${output}`);
    const bench = 'adoption';
    const limit = (most: string): { limit: string } => ({ limit: `at most ${most}` });
    return {
      figures: [
        figure({
          ...{ bench, figure: 'commands to a finding', value: commands.length, unit: '' },
          ...limit('5'),
        }),
        figure({ bench, figure: 'time to a finding', value: seconds, unit: 's', ...limit('60') }),
        figure({ bench, figure: 'packages', value: packages, unit: '', ...limit('40') }),
        figure({
          ...{ bench, figure: 'size of them', value: bytes / 1e6, unit: 'MB', ...limit('60') },
        }),
      ],
      work: minimal,
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Without scripts: what is measured is the build that is there. */
function pack(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const packed = execFileSync('npm', args, { cwd: repository, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  return path.join(folder, filename);
}

/** The commands that the README names for a project. */
function readmeCommands(): string[] {
  const readme = fs.readFileSync(path.join(repository, 'README.md'), 'utf8');
  const block = /^## In your project\n+```sh[^\n]*\n([^]*?)```/m.exec(readme);
  if (block === null) throw new Error('The README has no commands under "In your project".');
  return block[1].trim().split('\n');
}

/** Packages and bytes in a folder's node_modules, but for TypeScript. */
function broughtTo(folder: string): { packages: number; bytes: number } {
  const modules = path.join(folder, 'node_modules');
  const lock = JSON.parse(fs.readFileSync(path.join(modules, '.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  const names = Object.keys(lock.packages).filter((name) => name !== 'node_modules/typescript');
  const files = fs.readdirSync(modules, { recursive: true, withFileTypes: true });
  const typescript = path.join(modules, 'typescript');
  let bytes = 0;
  for (const file of files) {
    const at = path.join(file.parentPath, file.name);
    if (file.isFile() && !at.startsWith(typescript + path.sep)) bytes += fs.statSync(at).size;
  }
  return { packages: names.length, bytes };
}

function run(command: string, cwd: string): { status: number | null; output: string } {
  const env = { ...process.env, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(command, {
    ...{ cwd, env, shell: true, encoding: 'utf8' },
  });
  return { status, output: stdout + stderr };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}

function main(): void {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  printFigures(benchAdoption().figures, values.json);
}

if (require.main === module) main();
