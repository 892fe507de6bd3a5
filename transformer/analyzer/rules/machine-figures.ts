/** DS1110: figures of the machine and of the process. */

import { reportCalls } from '../check/calls.js';
import type { Rule } from '../check/rule.js';

const CALLS = new RegExp(
  '^(?:process\\.(?:memoryUsage(?:\\.rss)?|cpuUsage|resourceUsage|constrainedMemory|availableMemory)' +
    '|os\\.(?:loadavg|freemem|totalmem|cpus|availableParallelism|uptime|networkInterfaces)' +
    '|v8\\.(?:getHeapStatistics|getHeapSpaceStatistics|getHeapSnapshot|getHeapCodeStatistics)' +
    '|vm\\.measureMemory|performance\\.eventLoopUtilization|perf_hooks\\.monitorEventLoopDelay)$',
);

export const machineFigures: Rule = {
  code: 'DS1110',
  name: 'machine-figures',
  severity: 'warning',
  summary: 'Figures of the machine and of the process',
  flagged:
    '`process.memoryUsage`, `process.cpuUsage`, the load and memory figures of `node:os`, and the ' +
    'heap figures of `node:v8` and `node:vm`.',
  why:
    'They differ from machine to machine and from run to run. In a simulation most of them are ' +
    'constants, so a branch that depends on them is never taken, or always.',
  instead: 'Pass the figure in, so that a test can say what it is.',
  example: {
    bad: `export function isBusy(): boolean {
  return process.memoryUsage().heapUsed > 500e6;
}`,
    good: `export function isBusy(heapUsed: number): boolean {
  return heapUsed > 500e6;
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) =>
        CALLS.test(name)
          ? `\`${name}\` is another figure on each machine, and a constant in a simulation: ` +
            'pass the figure in.'
          : undefined,
    }),
};
