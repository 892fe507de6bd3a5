'use strict';
/**
 * What has to be there before anything runs: installed packages, detsim linked into its own
 * node_modules (so that the examples find it as a user's project does), and the build.
 *
 * Runs before anything is installed, hence plain JavaScript without dependencies. Each step looks
 * first and does nothing when its result is there already.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const modules = path.join(root, 'node_modules');
const bin = path.join(root, 'dist', 'cli', 'bin.js');

/** Runs a command in the root with its output shown; ends the process with its code if it fails. */
function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function npm(...args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) run(process.execPath, [script, ...args]);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
}

/** The `packages` table of a lock file, or undefined when there is no such file. */
function lockedPackages(file) {
  if (!fs.existsSync(file)) return undefined;
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
}

/**
 * Whether what is installed is what the lock file asks for. npm leaves a lock file of its own in
 * node_modules that says what it has put there.
 */
function installed() {
  const wanted = lockedPackages(path.join(root, 'package-lock.json'));
  const present = lockedPackages(path.join(modules, '.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(
    ([name, entry]) => name === '' || entry.optional || present[name]?.version === entry.version,
  );
}

function link(target, name) {
  if (fs.existsSync(name)) return;
  fs.rmSync(name, { force: true });
  fs.symlinkSync(target, name, 'junction');
}

/**
 * Links detsim into its own node_modules, as npm would where it is a dependency. npm takes the
 * links away whenever it installs something.
 */
function linkSelf() {
  link(root, path.join(modules, 'detsim'));
  // Windows needs a wrapper script here; there the examples are run by way of `npm start` only.
  if (process.platform !== 'win32') link(bin, path.join(modules, '.bin', 'detsim'));
}

/** Installs when node_modules is missing or older than the lock file. */
function install() {
  if (!installed()) npm('ci', '--no-audit', '--no-fund');
  linkSelf();
}

/** Compiles to dist/ (type errors end the process), and makes the command line executable. */
function build() {
  const tsc = path.join(modules, 'typescript', 'bin', 'tsc');
  // The second is the program of a page for browsers.
  for (const project of ['tsconfig.json', 'cli/trace/page/tsconfig.json']) {
    run(process.execPath, [tsc, '-p', project]);
  }
  fs.chmodSync(bin, 0o755);
}

module.exports = { root, modules, install, build };

if (require.main === module) {
  install();
  // A package must not carry files whose source is gone.
  if (process.argv.includes('--clean')) {
    fs.rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  }
  build();
}
