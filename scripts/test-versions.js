'use strict';
/**
 * `npm run test:versions`: what depends on the version of Node, on each that is supported and on
 * the newest. Run after a build. `npm run test:versions -- 22 26` names the versions.
 *
 * The npm package `node` carries the binaries; they are kept in node_modules/.cache. Versions of
 * mocha and TypeScript need no run of their own: test/mocha, test/register and test/langservice go
 * through the old ones in every run.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root, modules } = require('./setup.js');

const VERSIONS = ['20', '22', '24', 'latest'];
/** The parts of test/ that replace what Node has, or compare with it. */
const PARTS = ['conformance', 'files', 'http', 'loader', 'mocha', 'node', 'register', 'sockets'];
const TIMEOUT_MS = 120_000;

/** The binary of a version, fetched where it is not there yet. */
function binaryOf(version) {
  const folder = path.join(root, 'node_modules/.cache/node-versions', version);
  const binary = path.join(folder, 'node_modules/node/bin/node');
  if (fs.existsSync(binary)) return binary;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--foreground-scripts', `node@${version}`];
  spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  return fs.existsSync(binary) ? binary : undefined;
}

function main() {
  const mocha = path.join(modules, 'mocha/bin/mocha.js');
  const args = [mocha, '--reporter', 'dot', '--timeout', String(TIMEOUT_MS)];
  const wanted = process.argv.slice(2);
  const failed = [];
  for (const version of wanted.length > 0 ? wanted : VERSIONS) {
    const binary = binaryOf(version);
    if (binary === undefined) {
      failed.push(`node ${version}: could not be installed`);
      continue;
    }
    const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
    console.log(`\n> node ${stdout.trim()}`);
    for (const part of PARTS) {
      const folder = path.join(root, 'dist/test', part);
      if (!fs.existsSync(folder)) continue;
      const files = fs.readdirSync(folder).filter((file) => file.endsWith('.test.js'));
      const tests = files.map((file) => path.join(folder, file));
      // Processes that a test starts by the name `node` are of the same version.
      const env = {
        ...process.env,
        PATH: `${path.dirname(binary)}${path.delimiter}${process.env.PATH}`,
      };
      const { status } = spawnSync(binary, [...args, ...tests], {
        cwd: root,
        stdio: 'inherit',
        env,
      });
      if (status !== 0) failed.push(`node ${version}: test/${part}`);
    }
  }
  for (const one of failed) console.error(`failed: ${one}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main();
