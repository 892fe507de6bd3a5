'use strict';
/**
 * `npm run test:versions`: what depends on the version of Node, on each that is supported and on
 * the newest; and the other versions of vitest and jest that a project may have. Run after a build.
 * `npm run test:versions -- 22 26 vitest@3` names some of them.
 *
 * The npm package `node` carries the binaries; they are kept in node_modules/.cache, as the runners
 * are. Versions of mocha and TypeScript need no run of their own: test/mocha, test/register,
 * test/langservice and test/package go through the others in every run.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root, modules } = require('./setup.js');

const VERSIONS = ['20', '22', '24', 'latest'];
/** The parts of test/ that replace what Node has, or compare with it. */
const PARTS = [
  ...['conformance', 'files', 'http', 'loader', 'mocha', 'node', 'package', 'register', 'sockets'],
];
const TIMEOUT_MS = 240_000;
/** Test runners beside those that `npm test` has, and the Node that they need. */
const RUNNERS = {
  'vitest@3': { node: '20', packages: ['vitest@3'] },
  // Does not run on Node 20.
  'vitest@5': { node: '22', packages: ['vitest@5'] },
  'jest@29': { node: '20', packages: ['jest@29', '@jest/globals@29'] },
};

/** A file of packages in a folder of their own, which are fetched where it is not there yet. */
function cached(name, packages, file) {
  const folder = path.join(root, 'node_modules/.cache', name);
  const wanted = path.join(folder, 'node_modules', file);
  if (fs.existsSync(wanted)) return wanted;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--foreground-scripts', ...packages];
  spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  return fs.existsSync(wanted) ? wanted : undefined;
}

function binaryOf(version) {
  return cached(`node-versions/${version}`, [`node@${version}`], 'node/bin/node');
}

/** Runs a part of the tests. @returns whether all have passed */
function run(binary, part, options = [], variables = {}) {
  const folder = path.join(root, 'dist/test', part);
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.test.js'));
  const tests = files.map((file) => path.join(folder, file));
  const mocha = path.join(modules, 'mocha/bin/mocha.js');
  const args = [mocha, '--reporter', 'dot', '--timeout', String(TIMEOUT_MS), ...options, ...tests];
  // Processes that a test starts by the name `node` are of the same version.
  const at = `${path.dirname(binary)}${path.delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH: at, ...variables };
  return spawnSync(binary, args, { cwd: root, stdio: 'inherit', env }).status === 0;
}

/** What fails with a version of a test runner. */
function runnerFailures(name) {
  const { node, packages } = RUNNERS[name];
  const [runner] = name.split('@');
  const manifest = cached(`runner-versions/${name}`, packages, `${runner}/package.json`);
  const binary = binaryOf(node);
  if (manifest === undefined || binary === undefined) return [`${name}: could not be installed`];
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  console.log(`\n> ${runner} ${version} on Node ${node}`);
  const variables = { DETSIM_TEST_RUNNERS: path.join(manifest, '../..') };
  const options = ['--grep', `projects of other runners ${runner}`];
  return run(binary, 'runners', options, variables) ? [] : [`${name}: test/runners`];
}

/** What fails with a version of Node. */
function nodeFailures(version) {
  const binary = binaryOf(version);
  if (binary === undefined) return [`node ${version}: could not be installed`];
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  console.log(`\n> node ${stdout.trim()}`);
  const failed = PARTS.filter((part) => !run(binary, part));
  if (!run(binary, 'runners', ['--grep', 'projects of other runners node-test'])) {
    failed.push('runners');
  }
  return failed.map((part) => `node ${version}: test/${part}`);
}

function main() {
  const wanted = process.argv.slice(2);
  const all = wanted.length > 0 ? wanted : [...VERSIONS, ...Object.keys(RUNNERS)];
  const failed = all.flatMap((one) => (one in RUNNERS ? runnerFailures(one) : nodeFailures(one)));
  for (const one of failed) console.error(`failed: ${one}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main();
