'use strict';
/**
 * `npm run test:flags`: the unit suites under flags of the engine that change everything below the
 * program and must change nothing in it. Run after a build.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root, modules } = require('./setup.js');

const FLAGS = ['--jitless', '--random-seed=7', '--stress-compaction'];
/** The parts of test/ that decide and schedule; the others run processes or compile. */
const PARTS = ['kernel', 'tasks', 'node', 'explore', 'loader', 'mocha'];
/** Without compilers, and with a compaction at every turn, all is much slower. */
const TIMEOUT_MS = 120_000;

function node(args, stdio) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio });
}

/** Whether this Node takes the flag. */
function takes(flag) {
  const { status, stderr } = node([flag, '-e', '0'], 'pipe');
  if (status !== 0) console.log(`  skipped: ${stderr.trim()}`);
  return status === 0;
}

function main() {
  const mocha = path.join(modules, 'mocha/bin/mocha.js');
  const args = [mocha, '--reporter', 'dot', '--timeout', String(TIMEOUT_MS)];
  const failed = [];
  for (const flag of FLAGS) {
    console.log(`\n> ${flag}`);
    if (!takes(flag)) continue;
    for (const part of PARTS) {
      const folder = path.join(root, 'dist/test', part);
      const files = fs.readdirSync(folder).filter((file) => file.endsWith('.test.js'));
      const tests = files.map((file) => path.join(folder, file));
      const { status } = node([flag, ...args, ...tests], 'inherit');
      if (status !== 0) failed.push(`${part} ${flag}`);
    }
  }
  for (const one of failed) console.error(`failed: ${one}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main();
