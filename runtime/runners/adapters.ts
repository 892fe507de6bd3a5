/** Makes the adapter of a test runner; its code, and that of the runner, are loaded when needed. */

import type { TrialOptions } from '../mocha/types.js';
import type { Adapter } from './adapter.js';
import type { AdapterName } from './names.js';

/** What the configuration of a runner says, as plain data. */
export interface RunnerSettings {
  /** Absolute paths. */
  readonly setupFiles: readonly string[];
  /** Whether the API is there without an import. */
  readonly globals: boolean;
  /** In ms; 0 is none. */
  readonly testTimeout: number;
  readonly hookTimeout: number;
  /** What stands between the titles of suites and test in its patterns, where it is no space. */
  readonly separator?: string;
}

export interface AdapterOptions extends RunnerSettings {
  readonly root: string;
  readonly grep: RegExp | undefined;
}

/** What runners do when nothing is configured. */
const DEFAULTS: Record<AdapterName, RunnerSettings> = {
  'node:test': { setupFiles: [], globals: false, testTimeout: 0, hookTimeout: 0 },
  vitest: { setupFiles: [], globals: false, testTimeout: 5000, hookTimeout: 10_000 },
  jest: { setupFiles: [], globals: true, testTimeout: 5000, hookTimeout: 5000 },
};

/** @throws an error for the user when the project does not have what the runner needs */
export function loadAdapter(name: AdapterName, options: TrialOptions): Adapter {
  const { root, grep, runnerSettings } = options;
  const given = { ...DEFAULTS[name], ...runnerSettings, root, grep };
  switch (name) {
    case 'node:test': {
      const { nodeTestAdapter } =
        require('./node-test/index.js') as typeof import('./node-test/index.js');
      return nodeTestAdapter(given);
    }
    case 'vitest': {
      const { vitestAdapter } = require('./vitest/index.js') as typeof import('./vitest/index.js');
      return vitestAdapter(given);
    }
    case 'jest': {
      const { jestAdapter } = require('./jest/index.js') as typeof import('./jest/index.js');
      return jestAdapter(given);
    }
  }
}
