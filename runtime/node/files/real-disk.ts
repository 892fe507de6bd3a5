/**
 * The real disk beneath the simulated one: it is read, and never written to.
 *
 * Fixture files and packages are found where they are. The folder for temporary files begins empty,
 * whatever earlier runs have left there: only what leads to the project, or lies in it, is seen.
 */

import fs from 'node:fs';
import os from 'node:os';
import { resolve, sep } from 'node:path';
import { pristine } from '../pristine.js';
import { passThrough } from '../uncontrolled.js';
import { failure } from './failure.js';
import { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } from './inode.js';

const { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } = fs;

/** What is known of something on the real disk. */
export interface RealEntry {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly number: number;
}

/** Folders that can be seen in every simulation of the process. */
const shown = new Set<string>();

/** Lets the files of a folder be seen in simulations, wherever it is: those of the project. */
export function showRealFolder(folder: string): void {
  shown.add(physical(folder));
}

/** Each trial asks for the same few folders, which do not move meanwhile. */
const physicalPaths = new Map<string, string>();

/** The bytes of files that were read, for all trials of the process. */
const contents = new Map<string, { readonly stamp: string; readonly bytes: Uint8Array }>();

export class RealDisk {
  private readonly temporary = physical(os.tmpdir());
  /** What is seen in the folder for temporary files. */
  private readonly roots: string[];

  constructor() {
    this.roots = [];
    this.show(physical(pristine.cwd()));
    this.show(ownPackage);
    for (const folder of shown) this.show(folder);
  }

  /** Lets what lies in a folder be seen, wherever it is. */
  show(folder: string): void {
    if (!within(this.temporary, folder)) this.roots.push(folder);
  }

  private hides(path: string): boolean {
    if (path === this.temporary || !within(path, this.temporary)) return false;
    return !this.roots.some((root) => within(path, root) || within(root, path));
  }

  /** What is at a path, itself and not what it links to; undefined when nothing is seen there. */
  find(path: string): RealEntry | undefined {
    if (this.hides(path)) return undefined;
    const stats = real(() => lstatSync(path, { throwIfNoEntry: false }));
    if (stats === undefined) return undefined;
    const { mode, uid, gid, size, ino } = stats;
    return { mode, uid, gid, size, number: ino };
  }

  list(path: string): readonly string[] {
    const names = real(() => readdirSync(path)) ?? [];
    return names.filter((name) => !this.hides(path === sep ? sep + name : path + sep + name));
  }

  readLink(path: string): string {
    const target = real(() => readlinkSync(path));
    if (target === undefined) throw failure('EIO');
    // A package that is linked in from elsewhere belongs to the project.
    const end = resolve(path, '..', target);
    if (this.hides(end)) this.show(end);
    return target;
  }

  /** The bytes of a file, never to be written to. */
  read(path: string): Uint8Array {
    const stats = real(() => lstatSync(path, { throwIfNoEntry: false }));
    const stamp = stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    const known = contents.get(path);
    if (known?.stamp === stamp) return known.bytes;
    const bytes = real(() => readFileSync(path));
    if (bytes === undefined) throw failure('EIO');
    if (bytes.length < MOST_KEPT) contents.set(path, { stamp, bytes });
    return bytes;
  }
}

/** Larger files are read anew in every trial. */
const MOST_KEPT = 1 << 20;

/** The folder of this package, and of those beside it. */
const ownPackage = ((): string => {
  const folder = resolve(__dirname, '../../../..');
  const packages = folder.lastIndexOf(`${sep}node_modules${sep}`);
  return physical(packages < 0 ? folder : folder.slice(0, packages));
})();

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep);
}

function physical(path: string): string {
  let found = physicalPaths.get(path);
  if (found === undefined) physicalPaths.set(path, (found = physicalNow(path)));
  return found;
}

function physicalNow(path: string): string {
  try {
    return real(() => realpathSync(path)) ?? path;
  } catch {
    return path;
  }
}

/** Asks the real disk. What is not there is undefined. */
function real<T>(ask: () => T): T | undefined {
  try {
    return passThrough(ask);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw failure(code ?? 'EIO');
  }
}

/** Whether a mode is that of something whose content is read through. */
export function isPlain(mode: number): boolean {
  const type = mode & S_IFMT;
  return type === S_IFREG || type === S_IFDIR || type === S_IFLNK;
}
