/**
 * `mkdir` with `recursive`: one directory after the other, each an operation of its own, as in
 * Node's binding.
 */

import { dirname } from 'node:path';
import { pristine } from '../pristine.js';
import { makeDirectory, textOf } from './calls.js';
import { failure, SystemFailure } from './failure.js';
import type { FileSystem } from './file-system.js';
import { Directory, type Inode } from './inode.js';
import { callLater, completeRequest, presented, type Request } from './requests.js';

type AnyFunction = (...args: any[]) => any;

/** What is still to be made, the next one last, and the first that was made. */
interface Progress {
  readonly paths: string[];
  first: string | undefined;
}

/** @returns the first directory that was made, at once or by `request` */
export function makeDirectories(
  files: FileSystem,
  path: string | Uint8Array,
  mode: number,
  request: unknown,
  usePromises: unknown,
  hide: AnyFunction,
): unknown {
  const progress: Progress = { paths: [textOf(path)], first: undefined };
  if (request === undefined) {
    while (progress.paths.length > 0) {
      step(files, progress, textOf(path), attempt(files, progress, mode), hide);
    }
    return progress.first;
  }
  if (request !== usePromises) {
    later(files, progress, mode, textOf(path), 'FSREQCALLBACK', (error) =>
      completeRequest(request as Request, error, progress.first),
    );
    return undefined;
  }
  return new pristine.Promise((resolve, reject) => {
    later(files, progress, mode, textOf(path), 'FSREQPROMISE', (error) => {
      if (error === undefined) resolve(progress.first);
      else reject(error as Error);
    });
  });
}

/** Makes the next one; returns the failure. */
function attempt(files: FileSystem, { paths }: Progress, mode: number): SystemFailure | undefined {
  try {
    makeDirectory.act(files, [paths.at(-1), mode]);
    return undefined;
  } catch (error) {
    if (error instanceof SystemFailure) return error;
    throw error;
  }
}

function later(
  files: FileSystem,
  progress: Progress,
  mode: number,
  asked: string,
  type: string,
  done: (error: unknown) => void,
): void {
  const call = { ...makeDirectory, act: () => attempt(files, progress, mode) };
  callLater(files, call, [asked], type, (error, failed) => {
    try {
      if (error !== undefined) throw error as Error;
      step(files, progress, asked, failed as SystemFailure | undefined, undefined);
    } catch (thrown) {
      return done(thrown);
    }
    if (progress.paths.length === 0) done(undefined);
    else later(files, progress, mode, asked, type, done);
  });
}

/** Goes on after one attempt; throws what the program gets. */
function step(
  files: FileSystem,
  progress: Progress,
  asked: string,
  failed: SystemFailure | undefined,
  hide: AnyFunction | undefined,
): void {
  const { paths } = progress;
  const path = paths.at(-1)!;
  const fail = (code: string, at: string): never => {
    throw presented(failure(code), makeDirectory, [at], hide) as Error;
  };
  switch (failed?.code) {
    case undefined:
      progress.first ??= path;
      paths.pop();
      return;
    case 'EACCES':
    case 'ENOSPC':
    case 'ENOTDIR':
    case 'EPERM':
      return fail(failed!.code, asked);
    case 'ENOENT': {
      // The parent of a bare name is the working directory, which nobody makes.
      if (!path.includes('/')) fail('ENOENT', asked);
      const parent = dirname(path);
      if (parent === path) fail('ENOENT', asked);
      paths.push(parent);
      return;
    }
    default: {
      paths.pop();
      const found = lookUp(files, path);
      if (found instanceof Directory) return;
      if (found instanceof SystemFailure) fail(found.code, asked);
      if (failed!.code === 'EEXIST' && paths.length > 0) fail('ENOTDIR', asked);
      fail(failed!.code, asked);
    }
  }
}

/** What is at a path, or why that cannot be said. */
function lookUp(files: FileSystem, path: string): Inode | SystemFailure {
  try {
    return files.tree.inode(path, true);
  } catch (error) {
    if (error instanceof SystemFailure) return error;
    throw error;
  }
}
