/** The test runners whose projects can be swept. */

export const RUNNERS = ['mocha', 'vitest', 'jest', 'node:test'] as const;

export type RunnerName = (typeof RUNNERS)[number];

/** Those whose tests run on detsim's own suite runner; mocha's run on mocha's. */
export type AdapterName = Exclude<RunnerName, 'mocha'>;
