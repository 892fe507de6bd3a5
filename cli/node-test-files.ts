/** The test files of a project for `node --test`: those that Node would run and that import it. */

import path from 'node:path';
import { readdirSync, readTextIfAny, isFolder } from './overlay/disk.js';

/** As Node's own patterns, with the extensions of TypeScript. */
const TEST_FILE = /(?:^|[.\-_])test\.[cm]?[jt]sx?$|^test-.*\.[cm]?[jt]sx?$/;
const IN_TEST_FOLDER = /(?:^|\/)test\/.*\.[cm]?[jt]sx?$/;
const USES = /['"]node:test['"]/;

/** Absolute paths, sorted. */
export function nodeTestFiles(root: string): string[] {
  return walk(root, '').map((file) => path.join(root, file));
}

function walk(root: string, folder: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(path.join(root, folder)).sort()) {
    if (name === 'node_modules' || name.startsWith('.')) continue;
    const file = folder === '' ? name : `${folder}/${name}`;
    if (isFolder(path.join(root, file))) found.push(...walk(root, file));
    else if (isTest(file) && USES.test(readTextIfAny(path.join(root, file)) ?? ''))
      found.push(file);
  }
  return found;
}

function isTest(file: string): boolean {
  if (/\.d\.[cm]?ts$/.test(file)) return false;
  return TEST_FILE.test(path.posix.basename(file)) || IN_TEST_FOLDER.test(file);
}
