/**
 * System calls on open files: open, close, read, write, truncate, sync.
 */

import { constants } from 'node:fs';
import { OpenFile } from './descriptors.js';
import { failure } from './failure.js';
import type { FileSystem } from './file-system.js';
import { Directory, RegularFile, Special, SymbolicLink, type Inode } from './inode.js';
import { unlink } from './path-calls.js';
import { READ, SEARCH, WRITE } from './tree.js';

const { O_ACCMODE, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC } = {
  O_ACCMODE: 3,
  ...constants,
};
const { O_DIRECTORY, O_NOFOLLOW, O_SYNC, O_DSYNC } = constants;
/** `O_TMPFILE`, which Node does not name. */
const O_TMPFILE = 0o20000000 | O_DIRECTORY;
/** What `open` heeds; the rest has no meaning here. */
const SYNCED = O_SYNC | O_DSYNC;
/** The largest size of a file. */
const MAX_SIZE = 2 ** 43;

export function open(files: FileSystem, path: string, flags: number, mode: number): OpenFile {
  const { tree } = files;
  const creates = (flags & O_CREAT) !== 0;
  const exclusive = creates && (flags & O_EXCL) !== 0;
  const place = tree.place(path, !exclusive && (flags & O_NOFOLLOW) === 0);
  const { directory, name, slash } = place;
  let { inode } = place;
  if ((flags & O_TMPFILE) === O_TMPFILE) throw failure('EOPNOTSUPP');
  if (slash && creates) throw failure('EISDIR');
  if (inode === undefined) {
    if (!creates) throw failure('ENOENT');
    if ((flags & O_DIRECTORY) !== 0) throw failure('EINVAL');
    if (directory.nlink === 0) throw failure('ENOENT');
    tree.check(directory, WRITE | SEARCH);
    files.mayGrow(0);
    files.mayFail();
    inode = files.newFile(mode);
    files.enter(directory, name, inode);
    return new OpenFile(inode, flags);
  }
  if (exclusive) throw failure('EEXIST');
  if (inode instanceof SymbolicLink) throw failure('ELOOP');
  // Linux cuts off what is opened to be read as well, for those who may write to it.
  const writes = (flags & (O_ACCMODE | O_TRUNC)) !== 0;
  if (inode instanceof Directory) {
    if (creates || writes) throw failure('EISDIR');
  } else if ((flags & O_DIRECTORY) !== 0 || slash) throw failure('ENOTDIR');
  tree.check(inode, wanted(flags));
  if (inode instanceof Special && !(inode.path in DEVICES)) throw failure('ENXIO');
  if (!(inode instanceof RegularFile) || !inode.content.untouched) files.mayFail();
  if ((flags & O_TRUNC) !== 0 && inode instanceof RegularFile) {
    resize(files, inode, 0);
  }
  return new OpenFile(inode, flags);
}

function wanted(flags: number): number {
  const cuts = (flags & O_TRUNC) !== 0 ? WRITE : 0;
  switch (flags & O_ACCMODE) {
    case O_WRONLY:
      return WRITE;
    case O_RDWR:
      return READ | WRITE;
    default:
      return READ | cuts;
  }
}

// ---- reading ------------------------------------------------------------------------------------

/** @param position where to read; negative for where the file is */
export function read(
  files: FileSystem,
  file: OpenFile,
  target: Uint8Array,
  position: number,
): number {
  const { inode } = file;
  if (!file.readable) throw failure('EBADF');
  if (inode instanceof Directory) throw failure('EISDIR');
  if (target.length === 0) return 0;
  if (inode instanceof Special) return DEVICES[inode.path]?.(target) ?? 0;
  files.mayRead(inode);
  const { content } = inode as RegularFile;
  const from = position < 0 ? file.position : position;
  const available = Math.max(0, Math.min(target.length, content.size - from));
  if (available === 0) {
    if (target.length > 0 && content.untouched)
      return readMore(file, content.view(), target, position);
    return 0;
  }
  const length = content.untouched ? available : files.moved(available);
  const moved = content.read(from, target.subarray(0, length));
  if (position < 0) file.position += moved;
  return moved;
}

/** Files of `/proc` say that they are empty, and are not. */
function readMore(file: OpenFile, bytes: Uint8Array, target: Uint8Array, position: number): number {
  const from = position < 0 ? file.position : position;
  const part = bytes.subarray(from, from + target.length);
  target.set(part);
  if (position < 0) file.position += part.length;
  return part.length;
}

/** Devices that can be opened, and what they read. */
const DEVICES: Record<string, ((target: Uint8Array) => number) | undefined> = {
  '/dev/null': () => 0,
  '/dev/zero': (target) => target.fill(0).length,
};

/** @param flags of a read at a position: where the file is does not change */
export function readAll(
  files: FileSystem,
  file: OpenFile,
  targets: readonly Uint8Array[],
  position: number,
): number {
  let total = 0;
  for (const target of targets) {
    const moved = read(files, file, target, position < 0 ? -1 : position + total);
    total += moved;
    if (moved < target.length) break;
  }
  return total;
}

// ---- writing ------------------------------------------------------------------------------------

/** @param position where to write; negative for where the file is */
export function write(
  files: FileSystem,
  file: OpenFile,
  source: Uint8Array,
  position: number,
): number {
  const { inode } = file;
  if (!file.writable) throw failure('EBADF');
  if (inode instanceof Special) return source.length;
  if (source.length === 0) return 0;
  const { content } = inode as RegularFile;
  const at = file.appends ? content.size : position < 0 ? file.position : position;
  if (at + source.length > MAX_SIZE) throw failure('EFBIG');
  files.mayFail();
  files.mayGrow(at + source.length - content.size);
  const length = files.moved(source.length);
  content.write(at, source.subarray(0, length));
  if (position < 0) file.position = at + length;
  inode.mtime = inode.ctime = files.now;
  inode.mode &= ~SET_ID;
  if ((file.flags & SYNCED) !== 0) files.sync(inode);
  files.noticeChange(inode, 'modify');
  return length;
}

const SET_ID = 0o6000;

export function writeAll(
  files: FileSystem,
  file: OpenFile,
  sources: readonly Uint8Array[],
  position: number,
): number {
  if (sources.length > 1) return write(files, file, Buffer.concat(sources), position);
  return sources.length === 0 ? 0 : write(files, file, sources[0], position);
}

export function truncate(files: FileSystem, file: OpenFile, size: number): void {
  const { inode } = file;
  if (size < 0 || !file.writable || !(inode instanceof RegularFile)) throw failure('EINVAL');
  if (size > MAX_SIZE) throw failure('EFBIG');
  files.mayFail();
  files.mayGrow(size - inode.content.size);
  resize(files, inode, size);
}

function resize(files: FileSystem, inode: RegularFile, size: number): void {
  inode.content.resize(size);
  inode.mtime = inode.ctime = files.now;
  files.noticeChange(inode, 'modify');
}

export function sync(files: FileSystem, file: OpenFile): void {
  const { inode } = file;
  if (inode instanceof Special) throw failure('EINVAL');
  files.mayFail();
  files.sync(inode);
}

/** Copies a file to another, as `uv_fs_copyfile` does: in one operation. */
export function copyFile(files: FileSystem, from: string, to: string, mode: number): void {
  const source = open(files, from, 0, 0);
  const { inode } = source;
  const exclusive = (mode & constants.COPYFILE_EXCL) !== 0 ? O_EXCL : 0;
  const target = open(files, to, O_WRONLY | O_CREAT | exclusive, inode.mode & 0o7777);
  if (target.inode === inode) return;
  if ((mode & constants.COPYFILE_FICLONE_FORCE) !== 0) throw failure('ENOTSUP');
  if (inode instanceof Directory) {
    // Only then does reading from it fail, and libuv takes the target away.
    unlink(files, to);
    throw failure('EISDIR');
  }
  truncate(files, target, 0);
  setPermissions(target.inode, inode.mode);
  if (!(inode instanceof RegularFile)) return;
  files.mayRead(inode);
  write(files, target, inode.content.view().slice(), 0);
}

function setPermissions(inode: Inode, mode: number): void {
  inode.mode = inode.type | (mode & 0o7777);
}
