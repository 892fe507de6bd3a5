/**
 * The project's own vitest. It is an ES module and refuses a plain `require`; its file can be
 * required all the same, and is the one that `import` gives.
 */

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

interface Manifest {
  readonly exports?: Record<string, { readonly import?: string | { readonly default?: string } }>;
}

/** @throws an error for the user when the project has none */
export function loadVitest(root: string): Record<string, unknown> {
  const require = createRequire(path.join(root, 'package.json'));
  try {
    const manifest = require.resolve('vitest/package.json');
    const { exports } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as Manifest;
    const target = exports?.['.']?.import;
    const file = (typeof target === 'object' ? target.default : target) ?? './dist/index.js';
    return require(path.resolve(path.dirname(manifest), file)) as Record<string, unknown>;
  } catch (error) {
    throw new Error(
      `The project's vitest cannot be loaded from ${root}: ${(error as Error).message}. ` +
        'Install it there (npm install --save-dev vitest).',
      { cause: error },
    );
  }
}
