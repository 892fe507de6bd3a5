/** Small projects of each test runner, with the packages that they need linked in. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '../../..');
const temporary: string[] = [];

const PACKAGES: Record<string, readonly string[]> = {
  'node-test': [],
  vitest: ['vitest'],
  jest: ['jest', '@jest/globals'],
};

/** Copies a fixture of test/fixtures/runners to a folder that is removed in the end. */
export function copyProject(name: string): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `detsim-${name}-`)));
  temporary.push(folder);
  fs.cpSync(path.join(root, 'test/fixtures/runners', name), folder, { recursive: true });
  for (const one of ['@types/node', 'undici-types', 'typescript', ...PACKAGES[name]!]) {
    link(path.join(root, 'node_modules', one), path.join(folder, 'node_modules', one));
  }
  link(root, path.join(folder, 'node_modules/detsim'));
  for (const tool of ['vitest', 'jest', 'detsim']) {
    link(path.join(root, 'node_modules/.bin', tool), path.join(folder, 'node_modules/.bin', tool));
  }
  return folder;
}

function link(target: string, name: string): void {
  fs.mkdirSync(path.dirname(name), { recursive: true });
  fs.symlinkSync(target, name, 'junction');
}

after(() => {
  for (const folder of temporary) fs.rmSync(folder, { recursive: true, force: true });
});
