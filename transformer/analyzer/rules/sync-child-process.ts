/** DS1002: child processes that the thread waits for. */

import { reportCalls, setOf } from '../check/calls.js';
import type { Rule } from '../check/rule.js';

const CALLS = setOf('child_process.execSync child_process.execFileSync child_process.spawnSync');
const PACKAGES = /^(?:execa\.(?:execaSync|execaCommandSync|\$sync)|cross-spawn\.sync)$/;

export const syncChildProcess: Rule = {
  code: 'DS1002',
  name: 'sync-child-process',
  severity: 'error',
  summary: 'A child process that the thread waits for',
  flagged:
    'Calls of `execSync`, `execFileSync` and `spawnSync` of `node:child_process`, and of the ' +
    'synchronous functions of `execa` and `cross-spawn`.',
  why:
    'The process runs in real time and with real effects, and the thread, with it the simulation, ' +
    'stands still until it ends. What it prints can differ from run to run.',
  instead:
    'Do it before the simulation starts, at build time for instance, or pass the function in as a ' +
    'parameter, so that the test can give a stand-in.',
  example: {
    bad: `import { execFileSync } from 'node:child_process';

export function revision(): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
}`,
    good: `export function revision(run: (command: string) => string): string {
  return run('git rev-parse HEAD');
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) =>
        CALLS.has(name) || PACKAGES.test(name)
          ? `\`${name}\` runs a real process and blocks the thread until it ends: ` +
            'run it before the simulation, or pass in a stand-in.'
          : undefined,
    }),
};
