/**
 * Confirms a finding on rung `node` on plain Node: the test runs many times under plain mocha,
 * while the loop is kept busy for up to 10 ms before every other timer's callback.
 */

import { spawnSync } from 'node:child_process';
import path from 'node:path';

export interface Confirmation {
  readonly runs: number;
  readonly failed: number;
}

/** How often a test is run, and how often again while it passes. */
const RUNS = 40;
const ROUNDS = 6;

/** @param folder where mocha is found, and the file of the finding from */
export function confirm(folder: string, file: string, test: string): Confirmation {
  let runs = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const round = runMany(folder, file, test);
    runs += round.runs;
    if (round.failed > 0) return { runs, failed: round.failed };
  }
  return { runs, failed: 0 };
}

function runMany(folder: string, file: string, test: string): Confirmation {
  const mocha = require.resolve('mocha/bin/mocha.js', { paths: [folder] });
  const repeated = path.join(__dirname, 'repeat.js');
  const grep = `^${test.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
  const { stdout } = spawnSync(
    process.execPath,
    [mocha, '--no-config', '--reporter=json', `--grep=${grep}`, repeated],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, REPEAT_FILE: path.join(folder, file), REPEAT_TIMES: String(RUNS) },
      maxBuffer: 1 << 28,
    },
  );
  // The program may write as well; the report is what comes last.
  const report = stdout.slice(stdout.lastIndexOf('\n{\n  "stats"') + 1);
  const { stats } = JSON.parse(report) as { stats: { tests: number; failures: number } };
  return { runs: stats.tests, failed: stats.failures };
}
