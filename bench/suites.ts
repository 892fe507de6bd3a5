/**
 * Runs the test suites that other people's packages come with, on plain Node and in the simulation
 * on rung `native`, compares them test by test, and writes a section of docs/io.md.
 *
 *     npm run bench -- suites --sources=DIR [--packages=NAME,NAME] [--work=DIR]
 *
 * DIR has a checkout of each package's repository by its name there: packages on the registry come
 * without their tests. Results are kept in the work folder, so that a part can be made anew.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sweep } from './correct/sweep.js';
import { compare, type PlainReport } from './suites/compare.js';
import { packages, type Package } from './suites/packages.js';
import { withSection, type Result } from './suites/page.js';

const root = path.join(__dirname, '../..');
const page = path.join(root, 'docs/io.md');
const mocha = path.join(root, 'node_modules/mocha');

const { values: options } = parseArgs({
  options: {
    sources: { type: 'string' },
    packages: { type: 'string' },
    work: { type: 'string', default: path.join(os.tmpdir(), 'detsim-suites') },
  },
});

interface Manifest {
  readonly version: string;
  scripts?: unknown;
  devDependencies?: Record<string, string>;
}

/** What a suite does not need: linters, coverage, and a mocha of its own beside ours. */
const NOT_NEEDED =
  /eslint|standard|prettier|lint|husky|^(nyc|c8|xo|tsd|mocha|coveralls|benchmark)$/;

/** A copy of the checkout with what its tests want, installed once. */
function prepare(sources: string, { repository, mocha: settings }: Package): string {
  const name = path.basename(repository);
  const folder = path.join(options.work, name);
  const manifestFile = path.join(folder, 'package.json');
  if (!fs.existsSync(path.join(folder, 'node_modules'))) {
    fs.cpSync(path.join(sources, name), folder, { recursive: true });
    const manifest = JSON.parse(fs.readFileSync(manifestFile, 'utf8')) as Manifest;
    const wanted = Object.entries(manifest.devDependencies ?? {});
    delete manifest.scripts;
    manifest.devDependencies = Object.fromEntries(
      wanted.filter(([dependency]) => !NOT_NEEDED.test(dependency)),
    );
    fs.writeFileSync(manifestFile, JSON.stringify(manifest, undefined, 2));
    fs.rmSync(path.join(folder, 'package-lock.json'), { force: true });
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...quiet], { cwd: folder, stdio: 'inherit' });
    fs.symlinkSync(mocha, path.join(folder, 'node_modules/mocha'));
  }
  fs.rmSync(path.join(folder, '.mocharc.js'), { force: true });
  fs.writeFileSync(path.join(folder, '.mocharc.json'), JSON.stringify(settings));
  return folder;
}

function runPlainly(folder: string): PlainReport {
  const output = path.join(folder, '.plain.json');
  fs.rmSync(output, { force: true });
  const args = ['--reporter=json', `--reporter-option=output=${output}`, '--exit'];
  const { stderr } = spawnSync(process.execPath, [path.join(mocha, 'bin/mocha.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (!fs.existsSync(output)) throw new Error(`${folder} does not run on plain Node: ${stderr}`);
  return JSON.parse(fs.readFileSync(output, 'utf8')) as PlainReport;
}

function runOne(sources: string, one: Package): Result {
  const folder = prepare(sources, one);
  const manifest = fs.readFileSync(path.join(folder, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as Manifest;
  const plain = runPlainly(folder);
  const report = sweep(folder, { order: 'native', trials: 1, options: ['--no-minimize'] });
  return { version, ...compare(plain, report) };
}

function main(): void {
  process.env.NODE_ENV = 'test';
  const { sources, work } = options;
  const names = options.packages?.split(',') ?? packages.map(({ name }) => name);
  if (sources === undefined)
    throw new Error('Name the folder of the checkouts with --sources=DIR.');
  fs.mkdirSync(work, { recursive: true });
  const resultsFile = path.join(work, 'results.json');
  const results: Record<string, Result> = fs.existsSync(resultsFile)
    ? (JSON.parse(fs.readFileSync(resultsFile, 'utf8')) as Record<string, Result>)
    : {};
  for (const one of packages.filter(({ name }) => names.includes(name))) {
    const result = (results[one.name] = runOne(sources, one));
    console.log(`${one.name}: ${result.simulated} of ${result.plain}`);
    fs.writeFileSync(resultsFile, JSON.stringify(results, undefined, 1));
  }
  fs.writeFileSync(page, withSection(fs.readFileSync(page, 'utf8'), packages, results));
}

main();
