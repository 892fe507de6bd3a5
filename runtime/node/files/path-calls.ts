/**
 * System calls on paths: making, moving, removing and looking at entries.
 */

import { failure } from './failure.js';
import type { FileSystem } from './file-system.js';
import { timeOfSeconds } from './file-time.js';
import { Directory, isWithin, SymbolicLink, type Inode } from './inode.js';
import { SEARCH, WRITE, type Place } from './tree.js';

export function access(files: FileSystem, path: string, mode: number): void {
  files.tree.check(files.tree.inode(path, true), mode & 7);
}

// ---- directories --------------------------------------------------------------------------------

export function makeDirectory(files: FileSystem, path: string, mode: number): void {
  const { directory, name, inode } = newPlace(files, path);
  if (inode !== undefined) throw failure('EEXIST');
  files.enter(directory, name, files.newDirectory(mode));
}

/** A place where something can be entered; throws unless that may be. */
function newPlace(files: FileSystem, path: string): Place {
  const place = files.tree.place(path, false);
  if (place.inode !== undefined) throw failure('EEXIST');
  if (place.directory.nlink === 0) throw failure('ENOENT');
  files.tree.check(place.directory, WRITE | SEARCH);
  files.mayGrow(0);
  files.mayFail();
  return place;
}

export function removeDirectory(files: FileSystem, path: string): void {
  const { directory, name, inode } = files.tree.place(path, false);
  if (inode === undefined) throw failure('ENOENT');
  if (!(inode instanceof Directory)) throw failure('ENOTDIR');
  if (name === '') {
    const last = path.replace(/\/+$/, '').split('/').pop();
    throw failure(last === '.' ? 'EINVAL' : last === '..' ? 'ENOTEMPTY' : 'EBUSY');
  }
  files.tree.checkRemoval(directory, inode);
  if (!inode.empty) throw failure('ENOTEMPTY');
  files.mayFail();
  files.remove(directory, name, inode);
}

/** The entries of a directory. */
export function list(files: FileSystem, path: string): readonly [string, Inode][] {
  const inode = files.tree.inode(path, true);
  if (!(inode instanceof Directory)) throw failure('ENOTDIR');
  files.tree.check(inode, 4);
  return inode.names().map((name) => [name, inode.get(name)!] as const);
}

// ---- links --------------------------------------------------------------------------------------

export function link(files: FileSystem, from: string, to: string): void {
  const inode = files.tree.inode(from, false);
  const { directory, name, slash } = newPlace(files, to);
  if (slash) throw failure('ENOENT');
  if (inode instanceof Directory) throw failure('EPERM');
  inode.nlink++;
  inode.ctime = files.now;
  files.enter(directory, name, inode);
}

export function symbolicLink(files: FileSystem, target: string, path: string): void {
  if (target === '') throw failure('ENOENT');
  const { directory, name, slash } = newPlace(files, path);
  if (slash) throw failure('ENOENT');
  files.enter(directory, name, files.newLink(target));
}

export function readLink(files: FileSystem, path: string): string {
  const inode = files.tree.inode(path, false);
  if (!(inode instanceof SymbolicLink)) throw failure('EINVAL');
  return inode.target;
}

export function unlink(files: FileSystem, path: string): void {
  const { directory, name, inode, slash } = files.tree.place(path, false);
  if (inode === undefined) throw failure('ENOENT');
  if (slash && !(inode instanceof Directory)) throw failure('ENOTDIR');
  if (inode instanceof Directory) throw failure('EISDIR');
  files.tree.checkRemoval(directory, inode);
  files.mayFail();
  files.remove(directory, name, inode);
}

export function rename(files: FileSystem, from: string, to: string): void {
  const { tree } = files;
  const old = tree.place(from, false);
  const inode = old.inode;
  const place = tree.place(to, false);
  if (old.name === '' || place.name === '') throw failure('EBUSY');
  if (inode === undefined) throw failure('ENOENT');
  const over = place.inode;
  const moves = inode instanceof Directory;
  if (!moves && (old.slash || place.slash)) throw failure('ENOTDIR');
  if (moves && isWithin(place.directory, inode)) throw failure('EINVAL');
  if (over instanceof Directory && isWithin(old.directory, over)) throw failure('ENOTEMPTY');
  if (over === inode) return;
  tree.checkRemoval(old.directory, inode);
  tree.check(place.directory, WRITE | SEARCH);
  if (place.directory.nlink === 0) throw failure('ENOENT');
  if (over !== undefined) {
    tree.checkRemoval(place.directory, over);
    if (moves && !(over instanceof Directory)) throw failure('ENOTDIR');
    if (!moves && over instanceof Directory) throw failure('EISDIR');
    if (over instanceof Directory && !over.empty) throw failure('ENOTEMPTY');
  }
  files.mayFail();
  files.move(old.directory, old.name, place.directory, place.name, over);
}

// ---- what is known of an inode ------------------------------------------------------------------

export function changeMode(files: FileSystem, inode: Inode, mode: number): void {
  files.tree.checkOwner(inode);
  inode.mode = inode.type | (mode & 0o7777);
  altered(files, inode);
}

/** @param uid -1 (or its unsigned form) leaves it as it is; so does `gid` */
export function changeOwner(files: FileSystem, inode: Inode, uid: number, gid: number): void {
  const { user } = files.tree;
  const keeps = (id: number): boolean => id < 0 || id === 0xffffffff;
  const groups = [user.gid, ...user.groups];
  const allowed =
    user.uid === 0 ||
    (inode.uid === user.uid &&
      (keeps(uid) || uid === inode.uid) &&
      (keeps(gid) || groups.includes(gid)));
  if (!allowed) throw failure('EPERM');
  if (!keeps(uid)) inode.uid = uid;
  if (!keeps(gid)) inode.gid = gid;
  altered(files, inode);
}

/** @param accessed seconds since 1970, as `modified` */
export function changeTimes(
  files: FileSystem,
  inode: Inode,
  accessed: number,
  modified: number,
): void {
  files.tree.checkOwner(inode);
  // Node says so where a time shall stay, and libuv where it shall be that of now.
  if (!Number.isNaN(accessed)) inode.atime = timeOf(files, accessed);
  if (!Number.isNaN(modified)) inode.mtime = timeOf(files, modified);
  altered(files, inode);
}

function timeOf(files: FileSystem, time: number): Inode['mtime'] {
  return Number.isFinite(time) ? timeOfSeconds(time) : files.now;
}

function altered(files: FileSystem, inode: Inode): void {
  inode.ctime = files.now;
  files.noticeChange(inode, 'attributes');
}
