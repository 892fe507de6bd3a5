/**
 * Asks the project's vitest for its test files and settings; a process of its own, since vite loads
 * the project's plugins. Arguments: the root, and the file of `vitest/node`.
 */

import { pathToFileURL } from 'node:url';
import type { RunnerSettings } from '../runtime/runners/adapters.js';
import { VITEST_MARK } from './vitest-mark.js';

interface VitestNode {
  createVitest(
    mode: 'test',
    options: object,
  ): Promise<{
    readonly config: RunnerSettings;
    readonly version: string;
    globTestSpecifications(): Promise<{ readonly moduleId: string }[]>;
    close(): Promise<void>;
  }>;
}

async function main(root: string, file: string): Promise<void> {
  const { createVitest } = (await import(pathToFileURL(file).href)) as VitestNode;
  const vitest = await createVitest('test', { watch: false, run: true, root });
  const found = await vitest.globTestSpecifications();
  const files = [...new Set(found.map(({ moduleId }) => moduleId))].sort();
  const { setupFiles, globals, testTimeout, hookTimeout } = vitest.config;
  const separator = Number.parseInt(vitest.version, 10) >= 5 ? { separator: ' > ' } : {};
  const settings = { setupFiles, globals, testTimeout, hookTimeout, ...separator };
  process.stdout.write(`\n${VITEST_MARK}${JSON.stringify({ files, settings })}\n`);
  await vitest.close();
}

const [, , root, file] = process.argv;
main(root!, file!).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
