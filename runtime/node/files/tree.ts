/**
 * The tree of directories: how a path leads to an inode, and who may do what.
 */

import { failure } from './failure.js';
import { Directory, pathOf, RegularFile, SymbolicLink, type Inode } from './inode.js';

const MAX_LINKS = 40;
const MAX_PATH = 4095;
const MAX_NAME = 255;

export const READ = 4;
export const WRITE = 2;
export const SEARCH = 1;

/** Where a path leads: an entry of a directory, which need not be there. */
export interface Place {
  readonly directory: Directory;
  /** '' for the root, and where the path ends in `.` or `..`. */
  readonly name: string;
  readonly inode: Inode | undefined;
  /** Whether the path says that it is a directory, by a slash at its end. */
  readonly slash: boolean;
}

/** Who the program runs as. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

export class Tree {
  constructor(
    readonly root: Directory,
    readonly user: User,
    private readonly workingDirectory: () => string,
  ) {}

  /** @param follow whether a symbolic link at the end stands for what it links to */
  place(path: string, follow: boolean): Place {
    if (path === '') throw failure('ENOENT');
    if (path.length > MAX_PATH && Buffer.byteLength(path) > MAX_PATH) {
      throw failure('ENAMETOOLONG');
    }
    const absolute = path.charCodeAt(0) === SLASH ? path : `${this.workingDirectory()}/${path}`;
    return this.walk(this.root, absolute, follow, 0);
  }

  /** The inode that a path leads to. */
  inode(path: string, follow: boolean): Inode {
    const { inode, slash } = this.place(path, follow);
    if (inode === undefined) throw failure('ENOENT');
    if (slash && !(inode instanceof Directory)) throw failure('ENOTDIR');
    return inode;
  }

  private walk(from: Directory, path: string, follow: boolean, linksBefore: number): Place {
    let at = path.charCodeAt(0) === SLASH ? this.root : from;
    let links = linksBefore;
    const end = lengthWithoutSlashes(path);
    const slash = end < path.length;
    let start = 0;
    for (;;) {
      while (path.charCodeAt(start) === SLASH) start++;
      if (start >= end) return { directory: at.parent ?? at, name: '', inode: at, slash };
      let stop = path.indexOf('/', start);
      if (stop < 0) stop = end;
      const last = stop >= end;
      const name = path.slice(start, stop);
      start = stop;
      if (name.length > MAX_NAME / 4 && Buffer.byteLength(name) > MAX_NAME) {
        throw failure('ENAMETOOLONG');
      }
      this.check(at, SEARCH);
      const inode = name === '.' ? at : name === '..' ? (at.parent ?? at) : at.get(name);
      if (inode instanceof SymbolicLink && (!last || follow || slash)) {
        if (++links > MAX_LINKS) throw failure('ELOOP');
        const place = this.walk(at, inode.target, true, links);
        if (last) return { ...place, slash: slash || place.slash };
        if (place.inode === undefined) throw failure('ENOENT');
        if (!(place.inode instanceof Directory)) throw failure('ENOTDIR');
        at = place.inode;
        continue;
      }
      if (last) {
        const dots = name === '.' || name === '..';
        if (!dots) return { directory: at, name, inode, slash };
        return { directory: (inode as Directory).parent ?? at, name: '', inode, slash };
      }
      if (inode === undefined) throw failure('ENOENT');
      if (!(inode instanceof Directory)) throw failure('ENOTDIR');
      at = inode;
    }
  }

  /** The path without symbolic links. */
  realPath(path: string): string {
    const { directory, name, inode, slash } = this.place(path, true);
    if (inode === undefined) throw failure('ENOENT');
    if (inode instanceof Directory) return pathOf(inode.parent ?? inode, inode.name);
    if (slash) throw failure('ENOTDIR');
    return pathOf(directory, name);
  }

  // ---- permissions -----------------------------------------------------------------------------

  /** Throws EACCES unless the user may do what `wanted` says, the sum of READ, WRITE and SEARCH. */
  check(inode: Inode, wanted: number): void {
    if (!this.allows(inode, wanted)) throw failure('EACCES');
  }

  private allows(inode: Inode, wanted: number): boolean {
    const { uid, gid, groups } = this.user;
    if (uid === 0) {
      return (wanted & SEARCH) === 0 || !(inode instanceof RegularFile) || (inode.mode & 0o111) > 0;
    }
    const shift = inode.uid === uid ? 6 : inode.gid === gid || groups.includes(inode.gid) ? 3 : 0;
    return ((inode.mode >> shift) & wanted) === wanted;
  }

  /** Throws EPERM unless the user owns it. */
  checkOwner(inode: Inode): void {
    const { uid } = this.user;
    if (uid !== 0 && uid !== inode.uid) throw failure('EPERM');
  }

  /** Throws unless the user may take `inode` out of `directory`: there is the sticky bit. */
  checkRemoval(directory: Directory, inode: Inode): void {
    this.check(directory, WRITE | SEARCH);
    const { uid } = this.user;
    if ((directory.mode & STICKY) === 0 || uid === 0) return;
    if (uid !== inode.uid && uid !== directory.uid) throw failure('EPERM');
  }
}

const SLASH = 47;
const STICKY = 0o1000;

function lengthWithoutSlashes(path: string): number {
  let length = path.length;
  while (length > 1 && path.charCodeAt(length - 1) === SLASH) length--;
  return length;
}
