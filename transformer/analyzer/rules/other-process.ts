/** DS1014: signals and messages between processes, and the debugger. */

import { reportCalls } from '../check/calls.js';
import type { Rule } from '../check/rule.js';

const CALLS = /^(?:process\.(?:kill|send|abort)|inspector\.(?:open|Session\.(?:connect|post)))$/;

export const otherProcess: Rule = {
  code: 'DS1014',
  name: 'other-process',
  severity: 'error',
  summary: 'A signal or a message to a process, or the debugger',
  flagged: '`process.kill`, `process.send`, `process.abort`, and sessions of `node:inspector`.',
  why: 'Other processes, the operating system and the debugger answer in real time, if at all.',
  instead: 'Put the call behind a function or an interface, and give the test a stand-in for it.',
  example: {
    bad: `export function stop(pid: number): void {
  process.kill(pid, 'SIGTERM');
}`,
    good: `export function stop(pid: number, signal: (pid: number, name: string) => void): void {
  signal(pid, 'SIGTERM');
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) =>
        CALLS.test(name)
          ? `\`${name}\` reaches a real process, which no seed controls: ` +
            'put it behind a function that a test can replace.'
          : undefined,
    }),
};
