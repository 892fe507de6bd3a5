/** DS1004: threads and clusters. */

import { reportCalls, setOf } from '../check/calls.js';
import type { Rule } from '../check/rule.js';

const CALLS = setOf('new|worker_threads.Worker new|Worker cluster.fork cluster.Cluster.fork');

export const workerThread: Rule = {
  code: 'DS1004',
  name: 'worker-thread',
  severity: 'error',
  summary: 'A thread, or a process of a cluster',
  flagged: '`new Worker` of `node:worker_threads` or of the Web, and `cluster.fork`.',
  why:
    'A thread has an event loop of its own that runs in real time. Its messages arrive when they ' +
    'will, and shared memory changes between any two steps.',
  instead:
    'Call the function that the worker runs in the test itself, or give the test a stand-in for the ' +
    'pool of workers.',
  example: {
    bad: `import { Worker } from 'node:worker_threads';

export function hash(file: string): Worker {
  return new Worker('./hash-worker.js', { workerData: file });
}`,
    good: `export interface Hasher {
  hash(file: string): Promise<string>;
}

export async function hash(file: string, pool: Hasher): Promise<string> {
  return await pool.hash(file);
}`,
  },
  listeners: (ts) =>
    reportCalls(ts, {
      message: (name) =>
        CALLS.has(name.replace(' ', '|'))
          ? `\`${name}\` starts a real thread or process, which no seed controls: ` +
            'run its function in place, or put it behind an interface that a test can replace.'
          : undefined,
    }),
};
