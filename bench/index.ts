/**
 * The benchmarks by name: `npm run bench -- list`, `npm run bench -- NAME [--json]`.
 *
 * Each is a program of its own beside this file, so that none disturbs another.
 */

import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** What each of them measures. */
export const BENCHES: Readonly<Record<string, string>> = {
  adoption: 'from a project with one test to a finding; what npm i detsim brings along',
  await: 'what an await costs, beside a native one; scheduling decisions beside fast-check',
  compile: 'the overlay of a 200-file project, beside tsc',
  editor: 'what the editor plugin adds to a request for diagnostics',
  files: 'writeFile and readFile of a small file, beside plain Node',
  fuzz: 'recovery of the key-value example from any bytes, 344,000 times',
  http: 'a full HTTP request through client and server, beside loopback',
  kernel: 'scenarios written against the kernel, beside the original; long runs',
  memory: 'resident memory of a worker over 100,000 trials',
  novelty: 'bugs that --novelty finds in a CPU second, beside a flat sweep',
  postgres: 'statements a second of the PostgreSQL stand-in',
  queue: 'a sweep on a queue: its rate with 1, 2 and 4 workers, random kills',
  recording: 'a trial that is recorded, beside one that is not; minimizing 2,000 decisions',
  redis: 'commands a second of the Redis stand-in, beside a real one',
  service: 'a sweep of a test that makes 10 HTTP requests and writes 10 files',
  sockets: 'simulated connections and round trips beside real loopback; 10,000 connections',
  startup: 'the first sign of --version, sweep and watch, beside a Node that does nothing',
  suites: 'the test suites of other packages, on plain Node and in the simulation',
  sweep: 'trials a second, and a whole sweep, beside one mocha process for each seed',
};

/** @returns the exit status */
export function runBench(name: string | undefined, options: readonly string[]): number {
  if (name === 'list') {
    for (const [one, what] of Object.entries(BENCHES)) console.log(`${one.padEnd(10)} ${what}`);
    return 0;
  }
  if (name === undefined || !Object.hasOwn(BENCHES, name)) {
    const names = ['list', ...Object.keys(BENCHES)].join(', ');
    console.error(`Name one of: ${names}. For instance: npm run bench -- sweep --json`);
    return 2;
  }
  const script = path.join(__dirname, `${name}.js`);
  return spawnSync(process.execPath, [script, ...options], { stdio: 'inherit' }).status ?? 1;
}

if (require.main === module) {
  const [name, ...options] = process.argv.slice(2);
  process.exitCode = runBench(name, options);
}
