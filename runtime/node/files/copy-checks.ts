/**
 * What `fs.cpSync` checks in Node's binding before it copies, with the errors of that binding.
 */

import { dirname, resolve, sep } from 'node:path';
import type { FileSystem } from './file-system.js';
import { Directory, type Inode } from './inode.js';
import { makeDirectory } from './path-calls.js';
import { failure } from './failure.js';

function refused(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** @throws an error of Node's when `from` cannot be copied to `to` */
export function checkCopy(
  files: FileSystem,
  from: string,
  to: string,
  dereference: boolean,
  recursive: boolean,
): void {
  const source = files.tree.inode(from, dereference);
  const target = find(files, to, dereference);
  const isFolder = source instanceof Directory;
  if (target !== undefined) checkTarget(source, from, target, to);
  if (isFolder && !recursive) {
    throw refused(
      'ERR_FS_EISDIR',
      `Recursive option not enabled, cannot copy a directory: ${from}`,
    );
  }
  if (isFolder && `${resolve(to)}${sep}`.startsWith(`${resolve(from)}${sep}`)) {
    throw refused('ERR_FS_CP_EINVAL', `Cannot copy ${from} to a subdirectory of self ${to}`);
  }
  if (target === undefined) makeFolders(files, dirname(resolve(to)));
}

function checkTarget(source: Inode, from: string, target: Inode, to: string): void {
  if (source === target) {
    throw refused('ERR_FS_CP_EINVAL', `src and dest cannot be the same ${to}`);
  }
  const isFolder = source instanceof Directory;
  if (isFolder && !(target instanceof Directory)) {
    const message = `Cannot overwrite non-directory ${to} with directory ${from}`;
    throw refused('ERR_FS_CP_DIR_TO_NON_DIR', message);
  }
  if (!isFolder && target instanceof Directory) {
    const message = `Cannot overwrite directory ${to} with non-directory ${from}`;
    throw refused('ERR_FS_CP_NON_DIR_TO_DIR', message);
  }
}

function find(files: FileSystem, path: string, follow: boolean): Inode | undefined {
  try {
    return files.tree.place(path, follow).inode;
  } catch {
    return undefined;
  }
}

function makeFolders(files: FileSystem, path: string): void {
  const inode = find(files, path, true);
  if (inode instanceof Directory) return;
  if (inode !== undefined) throw failure('ENOTDIR');
  makeFolders(files, dirname(path));
  makeDirectory(files, path, 0o777);
}
