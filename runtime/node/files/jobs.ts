/**
 * What newer versions of Node do in one go on the thread pool: reading or writing a whole file,
 * and copying a directory. Reading and writing is taken apart into its system calls, since another
 * thread may come between any two of them.
 */

import { pristine } from '../pristine.js';
import { nodeBinding, filesNow } from './binding.js';
import { calls, textOf, type Call } from './calls.js';
import { onPlainNode } from '../plain-node.js';
import { beginPlainly } from './plain-calls.js';
import { callLater, callNow, completeRequest, type Request } from './requests.js';
import { checkCopy } from './copy-checks.js';
import { unlink } from './path-calls.js';
import { installWholeFiles, madeWith } from './whole-files.js';
import { copyOne, copyTree, listTree, removeAll } from './whole-trees.js';
import type { FileSystem } from './file-system.js';

const { apply, construct } = Reflect;

type AnyFunction = (...args: any[]) => any;
type Constructor = new (...args: any[]) => { run(...args: unknown[]): unknown };
type Done = (error: unknown, ...values: unknown[]) => void;

/** A job of ours: `ondone` is set before `run` is called. */
interface Job {
  ondone: Done;
  run(): undefined;
}

export function installJobs(): void {
  const binding = nodeBinding('fs')!;
  if (binding.ReadFileJob !== undefined) installWholeFiles();
  replaceJob(binding, 'WriteFileJob', writeFileJob);
  replaceJob(binding, 'ReadFileJob', readFileJob);
  replaceJob(binding, 'CpDirJob', copyJob);
  replaceReaddirRecursive(binding);
  replaceNow(binding, 'rmSync', 'rm', (files, [path]) => removeAll(files, textOf(path as string)));
  replaceNow(binding, 'cpSyncCheckPaths', 'lstat', (files, [from, to, dereference, recursive]) =>
    checkCopy(
      files,
      textOf(from as string),
      textOf(to as string),
      dereference as boolean,
      recursive as boolean,
    ),
  );
  replaceNow(binding, 'cpSyncOverrideFile', 'cp', (files, [from, to, mode, keepsTimes]) => {
    unlink(files, textOf(to as string));
    copyOne(
      files,
      textOf(from as string),
      textOf(to as string),
      mode as number,
      keepsTimes as boolean,
    );
  });
  replaceNow(binding, 'cpSyncCopyDir', 'cp', (files, [from, to, ...rest]) => {
    const [force, dereference, errorOnExist, verbatimSymlinks, preserveTimestamps] =
      rest as boolean[];
    copyTree(files, textOf(from as string), textOf(to as string), {
      force,
      dereference,
      errorOnExist,
      verbatimSymlinks,
      preserveTimestamps,
    });
  });
}

function replaceJob(
  binding: Record<string | symbol, unknown>,
  name: string,
  make: (files: FileSystem, job: Job, args: any[]) => () => void,
): void {
  const Real = binding[name] as (Constructor & AnyFunction) | undefined;
  if (Real === undefined) return;
  const { run } = Real.prototype as { run: AnyFunction };
  (Real.prototype as { run: AnyFunction }).run = function (this: Job, ...args: unknown[]): unknown {
    const files = filesNow();
    const made = files === undefined ? undefined : madeWith();
    if (files !== undefined && made !== undefined) {
      make(files, this, [args[0], ...made])();
      return undefined;
    }
    const scheduler = onPlainNode();
    if (scheduler === undefined) return apply(run, this, args) as unknown;
    beginPlainly(scheduler, 'FSREQPROMISE', calls.open.least, (complete) => {
      const { ondone } = this;
      this.ondone = (...results) => complete(() => void apply(ondone, this, results));
      apply(run, this, args);
    });
    return undefined;
  };
  binding[name] = function (...args: unknown[]): object {
    const files = filesNow();
    if (files === undefined) return construct(Real, args, Real) as object;
    const job: Job = {
      ondone: () => undefined,
      run: () => void begin(),
    };
    const begin = make(files, job, args);
    return job;
  };
}

/** One system call after the other; the first that fails ends it. */
function step(files: FileSystem, call: Call, args: unknown[], done: Done): void {
  callLater(files, call, args, 'FSREQPROMISE', done);
}

/** A job names its file whichever of its system calls fails. */
function naming(error: unknown, path: string): unknown {
  const failed = error as NodeJS.ErrnoException;
  failed.message += ` '${textOf(path)}'`;
  failed.path = textOf(path);
  return failed;
}

function writeFileJob(files: FileSystem, job: Job, args: any[]): () => void {
  const [path, flags, mode, data] = args as [string, number, number, NodeJS.ArrayBufferView];
  return () => {
    step(files, calls.open, [path, flags, mode], (error, descriptor) => {
      if (error !== undefined) return job.ondone(error);
      const close = (failed: unknown): void =>
        step(files, calls.close, [descriptor], (error) => job.ondone(failed ?? error ?? null));
      const write = (from: number): void => {
        const left = data.byteLength - from;
        if (left === 0) return close(undefined);
        step(files, calls.writeBuffer, [descriptor, data, from, left, null], (error, length) => {
          if (error !== undefined) return close(naming(error, path));
          write(from + (length as number));
        });
      };
      write(0);
    });
  };
}

/** Files of more than `most` bytes are handed back open, with their size. */
function readFileJob(files: FileSystem, job: Job, args: any[]): () => void {
  const [path, flags, most] = args as [string, number, number];
  return () => {
    step(files, calls.open, [path, flags, 0o666], (error, descriptor) => {
      if (error !== undefined) return job.ondone(error);
      const { inode } = files.descriptors.get(descriptor as number);
      if (inode.size > most) return job.ondone(null, undefined, descriptor, inode.size);
      const parts: Buffer[] = [];
      const close = (failed: unknown): void =>
        step(files, calls.close, [descriptor], (error) => {
          if (failed !== undefined) return job.ondone(failed);
          job.ondone(null, Buffer.concat(parts), -1, undefined, error);
        });
      const read = (): void => {
        const chunk = Buffer.allocUnsafe(Math.max(64, inode.size + 1));
        step(files, calls.read, [descriptor, chunk, 0, chunk.length, -1], (error, length) => {
          if (error !== undefined) return close(naming(error, path));
          if (length === 0) return close(undefined);
          parts.push(chunk.subarray(0, length as number));
          if ((length as number) < chunk.length) close(undefined);
          else read();
        });
      };
      read();
    });
  };
}

function copyJob(files: FileSystem, job: Job, args: any[]): () => void {
  const [from, to, force, dereference, errorOnExist, verbatimSymlinks, preserveTimestamps] =
    args as [string, string, ...boolean[]];
  const call: Call = {
    syscall: 'cp',
    arity: 2,
    paths: 2,
    descriptor: false,
    least: 200e3,
    act: () =>
      copyTree(files, textOf(from), textOf(to), {
        force,
        dereference,
        errorOnExist,
        verbatimSymlinks,
        preserveTimestamps,
      }),
  };
  return () => step(files, call, [from, to], (error) => job.ondone(error ?? null));
}

/** What is only ever called synchronously. */
function replaceNow(
  binding: Record<string | symbol, unknown>,
  name: string,
  syscall: string,
  act: Call['act'],
): void {
  const real = binding[name] as AnyFunction | undefined;
  if (real === undefined) return;
  const call: Call = { syscall, arity: 0, paths: 1, descriptor: false, least: 0, act };
  binding[name] = function replaced(this: unknown, ...args: any[]): unknown {
    const files = filesNow();
    if (files === undefined) return apply(real, this, args) as unknown;
    return callNow(files, call, args, replaced);
  };
}

function replaceReaddirRecursive(binding: Record<string | symbol, unknown>): void {
  const real = binding.readdirRecursive as AnyFunction | undefined;
  if (real === undefined) return;
  const call: Call = {
    ...calls.readdir,
    act: (files, [path, encoding, withTypes]) =>
      listTree(files, textOf(path as string), encoding, withTypes === true),
  };
  binding.readdirRecursive = function replaced(this: unknown, ...args: any[]): unknown {
    const files = filesNow();
    if (files === undefined) return apply(real, this, args) as unknown;
    const request = args[3] as unknown;
    if (request === undefined) return callNow(files, call, args, replaced);
    if (request === binding.kUsePromises) {
      return new pristine.Promise((resolve, reject) => {
        callLater(files, call, args, 'FSREQPROMISE', (error, value) => {
          if (error !== undefined) reject(error as Error);
          else resolve(value);
        });
      });
    }
    callLater(files, call, args, 'FSREQCALLBACK', (error, value) =>
      completeRequest(request as Request, error, value),
    );
    return undefined;
  };
}
