/**
 * The table of what Node's binding `fs` does: how each function is called, how long it takes on a
 * quiet machine, and what it does to a simulated file system.
 */

import type { OpenFile } from './descriptors.js';
import { failure, SystemFailure, within } from './failure.js';
import type { FileSystem } from './file-system.js';
import { Directory, RegularFile, S_IFMT, type Inode } from './inode.js';
import * as on from './open-calls.js';
import * as at from './path-calls.js';
import { diskStats, statsOf } from './stats.js';

/** One function of the binding. Its arguments come before the request or `kUsePromises`. */
export interface Call {
  readonly syscall: string;
  readonly arity: number;
  /** How many of the first arguments are paths that errors name. */
  readonly paths: 0 | 1 | 2;
  /** Whether the first argument is the number of an open file. */
  readonly descriptor: boolean;
  /** How long it takes at least, in nanoseconds, beside what the bytes take that it moves. */
  readonly least: number;
  /** How many bytes it will move. What it throws counts as none: the call itself will fail. */
  bytes?(files: FileSystem, args: any[]): number;
  act(files: FileSystem, args: any[]): unknown;
}

/**
 * Times of a quiet Linux machine with its files in memory, in nanoseconds. Of operations that move
 * few bytes or none what is begun first is by default done first, as it mostly is in reality: so
 * they are all the same. What many bytes take is said in `moving.ts`.
 */
const LOOK = 30e3;
const CHANGE = LOOK;
const MOVE_BYTES = LOOK;
const SYNC = 1e6;

export function textOf(path: string | Uint8Array): string {
  return typeof path === 'string' ? path : Buffer.from(path).toString();
}

/** A name as the caller wants it encoded. */
export function encoded(name: string, encoding: unknown): string | Buffer {
  if (encoding === 'buffer') return Buffer.from(name);
  if (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)) return name;
  return Buffer.from(name).toString(encoding as BufferEncoding);
}

export function bytesOf(view: NodeJS.ArrayBufferView): Uint8Array {
  return view instanceof Uint8Array
    ? view
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function part(view: NodeJS.ArrayBufferView, offset: number, length: number): Uint8Array {
  return bytesOf(view).subarray(offset, offset + length);
}

/** What a binding takes as a position: a number or bigint; anything else is where the file is. */
function positionOf(position: unknown): number {
  return typeof position === 'number' || typeof position === 'bigint' ? Number(position) : -1;
}

type Act = Call['act'];

function path(syscall: string, arity: number, least: number, act: Act): Call {
  return { syscall, arity, paths: 1, descriptor: false, least, act };
}

function twoPaths(syscall: string, arity: number, act: Act): Call {
  return { syscall, arity, paths: 2, descriptor: false, least: CHANGE, act };
}

function opened(
  syscall: string,
  arity: number,
  least: number,
  act: (file: OpenFile, args: any[], files: FileSystem) => unknown,
): Call {
  return {
    syscall,
    arity,
    paths: 0,
    descriptor: true,
    least,
    act: (files, args) => act(files.descriptors.get(args[0] as number), args, files),
  };
}

function moving(call: Call, bytes: NonNullable<Call['bytes']>): Call {
  return { ...call, bytes };
}

/** How many of `length` bytes there are to read at a position, or where the file is. */
function readable(
  files: FileSystem,
  descriptor: unknown,
  length: number,
  position: unknown,
): number {
  const file = files.descriptors.get(descriptor as number);
  const from = positionOf(position);
  return Math.min(length, Math.max(0, file.inode.size - (from < 0 ? file.position : from)));
}

function lengthOf(views: readonly NodeJS.ArrayBufferView[]): number {
  return views.reduce((sum, view) => sum + view.byteLength, 0);
}

function inodeOf(files: FileSystem, args: any[]): Inode {
  return files.tree.inode(textOf(args[0] as string), true);
}

function linkOf(files: FileSystem, args: any[]): Inode {
  return files.tree.inode(textOf(args[0] as string), false);
}

function isMissing(error: unknown): boolean {
  return error instanceof SystemFailure && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** `stat` and `lstat`, which may be asked not to complain; the request stands before that. */
function stat(syscall: string, find: typeof inodeOf): Call {
  return path(syscall, 2, LOOK, (files, args) => {
    try {
      return statsOf(find(files, args), args[1] as boolean);
    } catch (error) {
      if (args[3] === false && isMissing(error)) return undefined;
      throw error;
    }
  });
}

function openAt(files: FileSystem, args: any[]): number {
  const [name, flags, mode] = args as [string, number, number];
  return files.descriptors.add(on.open(files, textOf(name), flags, mode));
}

/** The type of a directory entry, as `uv_dirent_type_t` numbers them. */
export function entryType(inode: Inode): number {
  return ENTRY_TYPES.get(inode.mode & S_IFMT) ?? 0;
}

const ENTRY_TYPES = new Map([
  [0o100000, 1],
  [0o040000, 2],
  [0o120000, 3],
  [0o010000, 4],
  [0o140000, 5],
  [0o020000, 6],
  [0o060000, 7],
]);

/** The functions that complete by a callback, by a promise, or at once, as they are called. */
export const calls: Readonly<Record<string, Call>> = {
  access: path('access', 2, LOOK, (files, [name, mode]) =>
    at.access(files, textOf(name as string), mode as number),
  ),
  open: path('open', 3, CHANGE, openAt),
  openFileHandle: path('open', 3, CHANGE, openAt),
  close: opened('close', 1, LOOK, (_file, [descriptor], files) =>
    files.descriptors.close(descriptor as number),
  ),
  read: moving(
    opened('read', 5, MOVE_BYTES, (file, [, buffer, offset, length, position], files) =>
      on.read(files, file, part(buffer, offset as number, length as number), positionOf(position)),
    ),
    (files, [descriptor, , , length, position]) =>
      readable(files, descriptor, length as number, position),
  ),
  readBuffers: moving(
    opened('read', 3, MOVE_BYTES, (file, [, buffers, position], files) =>
      on.readAll(
        files,
        file,
        (buffers as NodeJS.ArrayBufferView[]).map(bytesOf),
        positionOf(position),
      ),
    ),
    (files, [descriptor, buffers, position]) =>
      readable(files, descriptor, lengthOf(buffers as NodeJS.ArrayBufferView[]), position),
  ),
  writeBuffer: moving(
    opened('write', 5, MOVE_BYTES, (file, [, buffer, offset, length, position], files) =>
      on.write(files, file, part(buffer, offset as number, length as number), positionOf(position)),
    ),
    (_files, [, , , length]) => length as number,
  ),
  writeBuffers: moving(
    opened('write', 3, MOVE_BYTES, (file, [, buffers, position], files) =>
      on.writeAll(
        files,
        file,
        (buffers as NodeJS.ArrayBufferView[]).map(bytesOf),
        positionOf(position),
      ),
    ),
    (_files, [, buffers]) => lengthOf(buffers as NodeJS.ArrayBufferView[]),
  ),
  writeString: moving(
    opened('write', 4, MOVE_BYTES, (file, [, text, position, encoding], files) =>
      on.write(
        files,
        file,
        Buffer.from(text as string, encoding as BufferEncoding),
        positionOf(position),
      ),
    ),
    // As good as the number of its bytes, and at hand.
    (_files, [, text]) => (text as string).length,
  ),
  ftruncate: opened('ftruncate', 2, CHANGE, (file, [, size], files) =>
    on.truncate(files, file, Number(size)),
  ),
  fsync: opened('fsync', 1, SYNC, (file, _args, files) => on.sync(files, file)),
  fdatasync: opened('fdatasync', 1, SYNC, (file, _args, files) => on.sync(files, file)),
  fstat: opened('fstat', 2, LOOK, (file, [, bigint]) => statsOf(file.inode, bigint as boolean)),
  fchmod: opened('fchmod', 2, CHANGE, (file, [, mode], files) =>
    at.changeMode(files, file.inode, mode as number),
  ),
  fchown: opened('fchown', 3, CHANGE, (file, [, uid, gid], files) =>
    at.changeOwner(files, file.inode, uid as number, gid as number),
  ),
  futimes: opened('futime', 3, CHANGE, (file, [, accessed, modified], files) =>
    at.changeTimes(files, file.inode, accessed as number, modified as number),
  ),
  stat: stat('stat', inodeOf),
  lstat: stat('lstat', linkOf),
  statfs: path('statfs', 2, LOOK, (files, args) => {
    inodeOf(files, args);
    return diskStats(files, args[1] as boolean);
  }),
  chmod: path('chmod', 2, CHANGE, (files, args) =>
    at.changeMode(files, inodeOf(files, args), args[1] as number),
  ),
  chown: path('chown', 3, CHANGE, (files, args) =>
    at.changeOwner(files, inodeOf(files, args), args[1] as number, args[2] as number),
  ),
  lchown: path('lchown', 3, CHANGE, (files, args) =>
    at.changeOwner(files, linkOf(files, args), args[1] as number, args[2] as number),
  ),
  utimes: path('utime', 3, CHANGE, (files, args) =>
    at.changeTimes(files, inodeOf(files, args), args[1] as number, args[2] as number),
  ),
  lutimes: path('lutime', 3, CHANGE, (files, args) =>
    at.changeTimes(files, linkOf(files, args), args[1] as number, args[2] as number),
  ),
  readdir: path('scandir', 3, LOOK, (files, [name, encoding, withTypes]) => {
    const entries = at.list(files, textOf(name as string));
    const names = entries.map(([entry]) => encoded(entry, encoding));
    return withTypes === true ? [names, entries.map(([, inode]) => entryType(inode))] : names;
  }),
  rmdir: path('rmdir', 1, CHANGE, (files, [name]) =>
    at.removeDirectory(files, textOf(name as string)),
  ),
  unlink: path('unlink', 1, CHANGE, (files, [name]) => at.unlink(files, textOf(name as string))),
  rename: twoPaths('rename', 2, (files, [from, to]) =>
    at.rename(files, textOf(from as string), textOf(to as string)),
  ),
  link: twoPaths('link', 2, (files, [from, to]) =>
    at.link(files, textOf(from as string), textOf(to as string)),
  ),
  symlink: twoPaths('symlink', 3, (files, [target, name]) =>
    at.symbolicLink(files, textOf(target as string), textOf(name as string)),
  ),
  readlink: path('readlink', 2, LOOK, (files, [name, encoding]) =>
    encoded(at.readLink(files, textOf(name as string)), encoding),
  ),
  realpath: path('realpath', 2, LOOK, (files, [name, encoding]) =>
    encoded(files.tree.realPath(textOf(name as string)), encoding),
  ),
  copyFile: {
    ...twoPaths('copyfile', 3, (files, [from, to, mode]) =>
      on.copyFile(files, textOf(from as string), textOf(to as string), mode as number),
    ),
    least: 2 * MOVE_BYTES,
    bytes: (files, [from]) => files.tree.inode(textOf(from as string), true).size,
  },
  mkdtemp: path('mkdtemp', 2, CHANGE, (files, [prefix, encoding]) => {
    const base = textOf(prefix as string);
    for (;;) {
      const name = base + files.suffix();
      if (files.tree.place(name, false).inode !== undefined) continue;
      at.makeDirectory(files, name, 0o700);
      return encoded(name, encoding);
    }
  }),
};

/** One directory, as every step of a recursive `mkdir` makes it. */
export const makeDirectory: Call = path('mkdir', 2, CHANGE, (files, [name, mode]) =>
  at.makeDirectory(files, textOf(name as string), mode as number),
);

/** The functions that are only ever called synchronously. */
export const synchronous: Readonly<Record<string, Call>> = {
  existsSync: path('access', 1, 0, (files, args) => {
    try {
      inodeOf(files, args);
      return true;
    } catch {
      return false;
    }
  }),
  internalModuleStat: path('stat', 2, 0, (files, args) => {
    const name: unknown = args.length > 1 ? args[1] : args[0];
    try {
      return files.tree.inode(textOf(name as string), true) instanceof Directory ? 1 : 0;
    } catch (error) {
      return (error as SystemFailure).errno;
    }
  }),
  readFileUtf8: path('open', 2, 0, (files, [name, flags]) => {
    const isPath = typeof name !== 'number';
    const file = isPath
      ? on.open(files, textOf(name as string), flags as number, 0o666)
      : files.descriptors.get(name);
    return within('read', () => readText(files, file, isPath));
  }),
  writeFileUtf8: path('open', 4, 0, (files, [name, text, flags, mode]) => {
    const file =
      typeof name === 'number'
        ? files.descriptors.get(name)
        : on.open(files, textOf(name as string), flags as number, mode as number);
    const bytes = Buffer.from(text as string);
    // It goes on until everything is written.
    for (let done = 0; done < bytes.length;) {
      const rest = bytes.subarray(done);
      done += within('write', () => on.write(files, file, rest, -1));
    }
  }),
};

function readText(files: FileSystem, file: OpenFile, whole: boolean): string {
  const { inode } = file;
  if (inode instanceof Directory) throw failure('EISDIR');
  if (whole && inode instanceof RegularFile && file.readable && inode.content.untouched) {
    return Buffer.from(inode.content.view()).toString();
  }
  const parts: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(8192);
    const length = on.read(files, file, chunk, -1);
    if (length === 0) return Buffer.concat(parts).toString();
    parts.push(chunk.subarray(0, length));
  }
}
