/**
 * What Node does in its binding with a directory and all that is in it.
 */

import { isAbsolute, join, resolve, dirname } from 'node:path';
import { encoded, entryType } from './calls.js';
import { failure, SystemFailure } from './failure.js';
import type { FileSystem } from './file-system.js';
import { Directory, SymbolicLink, type Inode } from './inode.js';
import { copyFile } from './open-calls.js';
import {
  changeMode,
  list,
  makeDirectory,
  removeDirectory,
  symbolicLink,
  unlink,
} from './path-calls.js';

/** What `fs.rmSync` of newer versions of Node does, by `remove_all` of C++. */
export function removeAll(files: FileSystem, path: string): void {
  try {
    removeTree(files, path);
  } catch (error) {
    if (!(error instanceof SystemFailure)) throw error;
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return;
    if (error.code !== 'ENAMETOOLONG') throw error;
    // Node has no code for it.
    const message = `, Unknown error: File name too long '${path}'`;
    throw Object.assign(new Error(message), { errno: UNKNOWN, code: '', syscall: 'rm', path });
  }
}

/** `UV_UNKNOWN`. */
const UNKNOWN = -4094;

/** Removes what is at `path`, if anything is. */
function removeTree(files: FileSystem, path: string): void {
  const { inode } = files.tree.place(path, false);
  if (inode === undefined) return;
  if (!(inode instanceof Directory)) return unlink(files, path);
  for (const [name] of list(files, path)) removeTree(files, `${path}/${name}`);
  removeDirectory(files, path);
}

/** What `readdirRecursive` gives: names, or names, types, and where each directory's begin. */
export function listTree(
  files: FileSystem,
  path: string,
  encoding: unknown,
  withTypes: boolean,
): unknown {
  const names: (string | Buffer)[] = [];
  const types: number[] = [];
  const counts: number[] = [];
  const folders = [''];
  for (let i = 0; i < folders.length; i++) {
    const folder = folders[i];
    const entries = list(files, folder === '' ? path : `${path}/${folder}`);
    counts.push(entries.length);
    for (const [name, inode] of entries) {
      const below = folder === '' ? name : `${folder}/${name}`;
      names.push(encoded(withTypes ? name : below, encoding));
      types.push(entryType(inode));
      if (isFolder(files, `${path}/${below}`, inode)) folders.push(below);
    }
  }
  if (!withTypes) return names;
  const all = folders.map((folder) => encoded(folder, encoding));
  return [names, Uint8Array.from(types), Uint32Array.from(counts), all];
}

/** Links to directories are followed, as Node does. */
function isFolder(files: FileSystem, path: string, inode: Inode): boolean {
  if (!(inode instanceof SymbolicLink)) return inode instanceof Directory;
  try {
    return files.tree.inode(path, true) instanceof Directory;
  } catch {
    return false;
  }
}

export interface CopyOptions {
  readonly force: boolean;
  readonly dereference: boolean;
  readonly errorOnExist: boolean;
  readonly verbatimSymlinks: boolean;
  readonly preserveTimestamps: boolean;
}

/** Copies a directory, into one that may be there. */
export function copyTree(files: FileSystem, from: string, to: string, options: CopyOptions): void {
  const source = files.tree.inode(from, true);
  if (files.tree.place(to, true).inode === undefined) {
    makeDirectory(files, to, 0o777);
    changeMode(files, files.tree.inode(to, true), source.mode);
  }
  for (const [name, entry] of list(files, from)) {
    const path = join(from, name);
    const target = join(to, name);
    const inode = options.dereference ? files.tree.inode(path, true) : entry;
    if (inode instanceof Directory) copyTree(files, path, target, options);
    else if (inode instanceof SymbolicLink) copyLink(files, inode, path, target, options);
    else copyOver(files, path, target, options);
  }
}

function copyOver(files: FileSystem, from: string, to: string, options: CopyOptions): void {
  if (files.tree.place(to, false).inode !== undefined) {
    if (options.errorOnExist && !options.force) throw failure('EEXIST');
    if (!options.force) return;
    unlink(files, to);
  }
  copyOne(files, from, to, 0, options.preserveTimestamps);
}

/** Copies a file, with its times if they are to be kept. */
export function copyOne(
  files: FileSystem,
  from: string,
  to: string,
  mode: number,
  keepsTimes: boolean,
): void {
  copyFile(files, from, to, mode);
  if (!keepsTimes) return;
  const { atime, mtime } = files.tree.inode(from, true);
  Object.assign(files.tree.inode(to, true), { atime, mtime });
}

function copyLink(
  files: FileSystem,
  { target }: SymbolicLink,
  from: string,
  to: string,
  { verbatimSymlinks }: CopyOptions,
): void {
  const end = verbatimSymlinks || isAbsolute(target) ? target : resolve(dirname(from), target);
  if (files.tree.place(to, false).inode !== undefined) unlink(files, to);
  symbolicLink(files, end, to);
}
