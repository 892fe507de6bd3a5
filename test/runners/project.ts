/** Small projects of each test runner, with the packages that they need linked in. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '../../..');
const modules = path.join(root, 'node_modules');
/** Where other versions of the runners are: scripts/test-versions.js. */
const runners = process.env.DETSIM_TEST_RUNNERS ?? modules;
const temporary: string[] = [];

const PACKAGES: Record<string, readonly string[]> = {
  'node-test': [],
  vitest: ['vitest', '.bin/vitest'],
  jest: ['jest', '@jest/globals', '.bin/jest'],
};

/** Copies a fixture of test/fixtures/runners to a folder that is removed in the end. */
export function copyProject(name: string): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `detsim-${name}-`)));
  temporary.push(folder);
  fs.cpSync(path.join(root, 'test/fixtures/runners', name), folder, { recursive: true });
  const linked = (from: string, one: string): void =>
    link(path.join(from, one), path.join(folder, 'node_modules', one));
  for (const one of ['@types/node', 'undici-types', 'typescript', '.bin/detsim']) {
    linked(modules, one);
  }
  for (const one of PACKAGES[name]!) linked(runners, one);
  link(root, path.join(folder, 'node_modules/detsim'));
  return folder;
}

function link(target: string, name: string): void {
  fs.mkdirSync(path.dirname(name), { recursive: true });
  fs.symlinkSync(target, name, 'junction');
}

after(() => {
  for (const folder of temporary) fs.rmSync(folder, { recursive: true, force: true });
});
