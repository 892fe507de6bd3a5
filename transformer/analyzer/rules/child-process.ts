/** DS1003: child processes. */

import { reportCalls, setOf } from '../check/calls.js';
import type { Rule } from '../check/rule.js';

const CALLS = setOf(
  'child_process.spawn child_process.exec child_process.execFile child_process.fork',
);
const PACKAGES =
  /^(?:execa\.(?:execa|\$|execaCommand|execaNode)|cross-spawn|tinyexec\.(?:x|exec))$/;

export const childProcess: Rule = {
  code: 'DS1003',
  name: 'child-process',
  severity: 'error',
  summary: 'A child process',
  flagged:
    'Calls of `spawn`, `exec`, `execFile` and `fork` of `node:child_process`, promisified or not, ' +
    'and of `execa`, `cross-spawn` and `tinyexec`.',
  why:
    'The process runs in real time and outside of the simulation: when it answers, and what it has ' +
    'done by then, no seed decides.',
  instead:
    'Put the call behind a function or an interface of your own, and give the test a stand-in ' +
    'for it.',
  example: {
    bad: `import { spawn } from 'node:child_process';

export function convert(file: string): void {
  spawn('convert', [file]);
}`,
    good: `export function convert(file: string, run: (command: string) => void): void {
  run(\`convert \${file}\`);
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) =>
        CALLS.has(name) || PACKAGES.test(name)
          ? `\`${name}\` starts a real process, which no seed controls: ` +
            'put it behind a function that a test can replace.'
          : undefined,
    }),
};
