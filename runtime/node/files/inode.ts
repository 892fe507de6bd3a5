/**
 * What the entries of directories stand for: files, directories, symbolic links and devices.
 *
 * An inode that stands for something on the real disk reads through: what is in it is looked up
 * when it is first asked for, and from then on it is the simulation's own.
 */

import type { Content } from './content.js';
import type { FileTime } from './file-time.js';

/** The types in the mode of an inode. */
export const S_IFMT = 0o170000;
export const S_IFREG = 0o100000;
export const S_IFDIR = 0o040000;
export const S_IFLNK = 0o120000;

/** What inotify tells of, by the names of its masks. */
export type Happening =
  | 'create'
  | 'delete'
  | 'moved from'
  | 'moved to'
  | 'modify'
  | 'attributes'
  | 'move self'
  | 'delete self'
  | 'ignored';

/** Who looks at an inode or a directory; see watch.ts. */
export interface Watcher {
  /** @param name the entry of the directory that is watched; undefined for the inode itself */
  noticed(happening: Happening, name: string | undefined): void;
}

export abstract class Inode {
  nlink = 1;
  atime: FileTime;
  mtime: FileTime;
  ctime: FileTime;
  readonly birthtime: FileTime;
  /** The directory it was last entered in, and its name there. */
  parent: Directory | undefined = undefined;
  name = '';
  watchers: Set<Watcher> | undefined = undefined;

  constructor(
    readonly number: number,
    /** Type and permissions. */
    public mode: number,
    public uid: number,
    public gid: number,
    time: FileTime,
  ) {
    this.atime = this.mtime = this.ctime = this.birthtime = time;
  }

  get type(): number {
    return this.mode & S_IFMT;
  }

  abstract get size(): number;
}

export class RegularFile extends Inode {
  constructor(
    number: number,
    mode: number,
    uid: number,
    gid: number,
    time: FileTime,
    readonly content: Content,
  ) {
    super(number, S_IFREG | (mode & 0o7777), uid, gid, time);
  }

  override get size(): number {
    return this.content.size;
  }
}

export class SymbolicLink extends Inode {
  constructor(
    number: number,
    uid: number,
    gid: number,
    time: FileTime,
    readonly target: string,
  ) {
    super(number, S_IFLNK | 0o777, uid, gid, time);
  }

  override get size(): number {
    return Buffer.byteLength(this.target);
  }
}

/** Anything else of the real disk: only some devices can be opened. */
export class Special extends Inode {
  constructor(
    number: number,
    mode: number,
    uid: number,
    gid: number,
    time: FileTime,
    /** Where it is on the real disk. */
    readonly path: string,
  ) {
    super(number, mode, uid, gid, time);
  }

  override get size(): number {
    return 0;
  }
}

/** Where a directory finds what is on the real disk. */
export interface Beneath {
  /** The inode for a real path; undefined when there is nothing to be seen. */
  find(path: string): Inode | undefined;
  list(path: string): readonly string[];
}

export class Directory extends Inode {
  /** What was entered or looked up; undefined is known not to be there. */
  private readonly entries = new Map<string, Inode | undefined>();
  private listed: boolean;

  constructor(
    number: number,
    mode: number,
    uid: number,
    gid: number,
    time: FileTime,
    private readonly beneath: Beneath,
    /** Where it is on the real disk, if it is there. */
    readonly real: string | undefined,
  ) {
    super(number, S_IFDIR | (mode & 0o7777), uid, gid, time);
    this.nlink = 2;
    this.listed = real === undefined;
  }

  override get size(): number {
    return 4096;
  }

  get(name: string): Inode | undefined {
    const known = this.entries.get(name);
    if (known !== undefined || this.listed || this.entries.has(name)) return known;
    return this.load(name);
  }

  private load(name: string): Inode | undefined {
    const { real } = this;
    const found = this.beneath.find(real === '/' ? `/${name}` : `${real}/${name}`);
    this.entries.set(name, found);
    if (found !== undefined) {
      found.parent = this;
      found.name = name;
    }
    return found;
  }

  /** Puts `inode` at `name`, or takes away what is there. */
  set(name: string, inode: Inode | undefined): void {
    if (inode === undefined && this.listed) this.entries.delete(name);
    else this.entries.set(name, inode);
  }

  /** Its names, sorted by their bytes, as libuv gives them. */
  names(): string[] {
    if (!this.listed) {
      for (const name of this.beneath.list(this.real!)) {
        if (!this.entries.has(name)) this.load(name);
      }
      this.listed = true;
      for (const [name, inode] of this.entries) if (inode === undefined) this.entries.delete(name);
    }
    return [...this.entries.keys()].sort(byBytes);
  }

  get empty(): boolean {
    return this.names().length === 0;
  }
}

/** Code units sort as bytes do, but for pairs of surrogates. */
function byBytes(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a) || /[\ud800-\udfff]/.test(b)) {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether `directory` is `inode`, or lies in it. */
export function isWithin(directory: Directory, inode: Inode): boolean {
  for (let at: Directory = directory; ; at = at.parent) {
    if (at === inode) return true;
    if (at.parent === undefined || at.parent === at) return false;
  }
}

/** The absolute path of an entry. */
export function pathOf(directory: Directory, name: string): string {
  const names = name === '' ? [] : [name];
  for (let at = directory; at.parent !== undefined && at.parent !== at; at = at.parent) {
    names.push(at.name);
  }
  return `/${names.reverse().join('/')}`;
}
