'use strict';
/**
 * `npm start`: sweeps examples/workerpool and shows the report. The sweep has to find the two bugs
 * that were put there, so success here is a report with exactly those.
 */

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root, install, build } = require('./setup.js');

const BUGS = ['WorkerPool never over-admits', 'WorkerPool spends one token for each job'];

/** Runs the sweep, with its report shown as it comes, and gives the report's text and status. */
function sweep() {
  const bin = path.join(root, 'dist', 'cli', 'bin.js');
  // What an earlier run has found is not run first in this one.
  fs.rmSync(path.join(root, 'examples/workerpool/.detsim/seeds.json'), { force: true });
  const colour = process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, [bin, 'sweep'], {
    cwd: path.join(root, 'examples', 'workerpool'),
    env: { ...process.env, ...colour },
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, text })));
}

async function main() {
  install();
  build();
  const { status, text } = await sweep();
  const missing = BUGS.filter((title) => !text.includes(title));
  if (status === 1 && missing.length === 0) {
    console.log(`\nThe ${BUGS.length} bugs of examples/workerpool were found, as they should be.`);
    return;
  }
  console.error(`\nThe sweep ended with status ${status}; it should end with 1.`);
  for (const title of missing) console.error(`It did not find the bug of "${title}".`);
  process.exitCode = 1;
}

void main();
