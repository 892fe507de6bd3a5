/**
 * `opendir` in its three forms: Node's own `Dir` on a handle of ours.
 *
 * Its binding is out of reach, so the public functions are replaced. A `Dir` that reads
 * recursively would ask that binding for what lies below; here the handle gives all of it.
 */

import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patch } from '../facade.js';
import { beginPlainly } from './plain-calls.js';
import { onPlainNode } from '../plain-node.js';
import { derive, pristine } from '../pristine.js';
import { filesNow } from './binding.js';
import { encoded, entryType, type Call } from './calls.js';
import type { FileSystem } from './file-system.js';
import { Directory, type Inode } from './inode.js';
import { list } from './path-calls.js';
import { callLater, callNow, completeRequest, type Request } from './requests.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;
type Path = string | Buffer | URL;

interface Options {
  readonly encoding?: string;
  readonly bufferSize?: number;
  readonly recursive?: boolean;
}

const opens: Call = {
  syscall: 'opendir',
  arity: 1,
  paths: 1,
  descriptor: false,
  least: 30e3,
  act: (files, [path]) => list(files, path as string),
};
const nothing: Call = { ...opens, paths: 0, act: () => undefined };

type Entries = readonly (readonly [string, Inode])[];

/** What Node's `Dir` calls: entries in portions, a name and a type in turn, and null at the end. */
class DirectoryHandle {
  private at = 0;

  constructor(
    private readonly files: FileSystem,
    private readonly entries: Entries,
  ) {}

  read(encoding: unknown, size: number, request?: Request): unknown {
    const take = (): unknown => {
      const part = this.entries.slice(this.at, (this.at += size));
      if (part.length === 0) return null;
      return part.flatMap(([name, inode]) => [encoded(name, encoding), entryType(inode)]);
    };
    if (request === undefined) return take();
    callLater(this.files, { ...nothing, act: take }, [], 'FSREQCALLBACK', (error, value) =>
      completeRequest(request, error, value),
    );
    return undefined;
  }

  close(request?: Request): void {
    if (request === undefined) return;
    callLater(this.files, nothing, [], 'FSREQCALLBACK', (error, value) =>
      completeRequest(request, error, value),
    );
  }
}

type Entry = fs.Dirent & { parentPath: string; path?: string };
type NodeDir = new (handle: DirectoryHandle, path: string, options: Options) => fs.Dir;
let Dirs: { readonly plain: NodeDir; readonly recursive: NodeDir } | undefined;

/** Names of entries below are given with their folder, which is taken off here. */
function dirClasses(): { readonly plain: NodeDir; readonly recursive: NodeDir } {
  if (Dirs !== undefined) return Dirs;
  const plain = fs.Dir as unknown as NodeDir;
  class RecursiveDir extends plain {
    override read(callback?: any): any {
      if (callback === undefined) {
        return derive(super.read() as Promise<Entry | null>, split);
      }
      return super.read((error, entry) =>
        (callback as AnyFunction)(error, split(entry as Entry | null)),
      );
    }

    override readSync(): fs.Dirent | null {
      return split(super.readSync() as Entry | null);
    }

    override async *[Symbol.asyncIterator](): NodeJS.AsyncIterator<fs.Dirent> {
      for await (const entry of { [Symbol.asyncIterator]: () => super[Symbol.asyncIterator]() }) {
        yield split(entry as Entry)!;
      }
    }
  }
  return (Dirs = { plain, recursive: RecursiveDir });
}

function split(entry: Entry | null): Entry | null {
  if (entry === null || typeof entry.name !== 'string') return entry;
  const slash = entry.name.lastIndexOf('/');
  if (slash < 0) return entry;
  const folder = join(entry.parentPath, entry.name.slice(0, slash));
  entry.name = entry.name.slice(slash + 1);
  entry.parentPath = folder;
  if ('path' in entry) Object.assign(entry, { path: folder });
  return entry;
}

function textOfPath(path: Path): string {
  return path instanceof URL ? fileURLToPath(path) : String(path);
}

function optionsOf(options: unknown): Options {
  if (typeof options === 'string') return { encoding: options };
  return typeof options === 'object' && options !== null ? options : {};
}

function makeDir(files: FileSystem, path: string, entries: Entries, given: unknown): fs.Dir {
  const options = optionsOf(given);
  if (options.recursive !== true) {
    const { plain } = dirClasses();
    return new plain(new DirectoryHandle(files, entries), path, options);
  }
  const all = [...entries];
  // What is found goes to the end, as Node reads one directory after the other.
  for (let i = 0; i < all.length; i++) {
    const [name, inode] = all[i];
    if (!(inode instanceof Directory)) continue;
    for (const child of inode.names()) all.push([`${name}/${child}`, inode.get(child)!]);
  }
  const { recursive } = dirClasses();
  const rest = { ...options, recursive: false };
  return new recursive(new DirectoryHandle(files, all), path, rest);
}

/** Node's own checks of the arguments, and its errors: a `Dir` of nothing is made and dropped. */
function valid(real: AnyFunction, self: unknown, path: unknown): path is Path {
  if (typeof path === 'string' && !path.includes('\0')) return true;
  if (path instanceof URL || Buffer.isBuffer(path)) return true;
  apply(real, self, [path]);
  return false;
}

export function installOpendir(): void {
  patch(fs, 'opendirSync', 'fs.opendirSync', (real) => {
    return function replaced(this: unknown, path: Path, options?: unknown): unknown {
      const files = filesNow();
      if (files === undefined || !valid(real, this, path)) {
        return apply(real, this, [path, options]) as unknown;
      }
      const text = textOfPath(path);
      return makeDir(files, text, callNow(files, opens, [text], replaced) as Entries, options);
    };
  });
  patch(fs, 'opendir', 'fs.opendir', (real) => {
    return function (this: unknown, path: Path, options: unknown, callback?: AnyFunction): unknown {
      const done = typeof options === 'function' ? (options as AnyFunction) : callback;
      const files = filesNow();
      if (files === undefined || typeof done !== 'function' || !valid(real, this, path)) {
        return opendirPlainly(real, this, [path, options, callback]);
      }
      const text = textOfPath(path);
      callLater(files, opens, [text], 'FSREQCALLBACK', (error, value) => {
        if (error !== undefined) done(error);
        else done(null, makeDir(files, text, value as Entries, options));
      });
      return undefined;
    };
  });
  patch(fs.promises, 'opendir', 'fs.promises.opendir', (real) => {
    return function (this: unknown, path: Path, options?: unknown): unknown {
      const files = filesNow();
      if (files === undefined) return apply(real, this, [path, options]) as unknown;
      return new pristine.Promise((resolve, reject) => {
        if (!valid(real, this, path)) return;
        const text = textOfPath(path);
        callLater(files, opens, [text], 'FSREQCALLBACK', (error, value) => {
          if (error !== undefined) reject(error as Error);
          else resolve(makeDir(files, text, value as Entries, options));
        });
      });
    };
  });
}

/** In a run on plain Node its choice is asked, as in a simulation. */
function opendirPlainly(real: AnyFunction, self: unknown, args: unknown[]): unknown {
  const scheduler = onPlainNode();
  const at = args.findIndex((arg) => typeof arg === 'function');
  if (scheduler === undefined || at < 0) return apply(real, self, args) as unknown;
  const done = args[at] as AnyFunction;
  beginPlainly(scheduler, 'FSREQCALLBACK', opens.least, (complete) => {
    args[at] = (...results: unknown[]) => complete(() => void done(...results));
    apply(real, self, args);
  });
  return undefined;
}
