/**
 * The file system as the overlay sees it.
 *
 * The functions are captured when this module loads: modules are loaded in the middle of
 * simulations, where `fs` may be a virtual one, or one that a test has stubbed.
 */

import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../errors.js';

const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = fs;
const { native: realpathNative } = realpathSync;
const pid = process.pid;
const temporaryPrefix = randomBytes(4).toString('hex');
let temporaryFiles = 0;

export { existsSync, readdirSync };

/** What is at a path: nothing is an ordinary answer, not an error. */
export function kindOf(file: string): 'file' | 'folder' | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? 'folder' : 'file';
}

export function isFile(file: string): boolean {
  try {
    return kindOf(file) === 'file';
  } catch {
    return false;
  }
}

export function isFolder(folder: string): boolean {
  try {
    return kindOf(folder) === 'folder';
  } catch {
    return false;
  }
}

/** The time of the last change in ms, or 0 where there is nothing. */
export function modifiedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The path without symbolic links, or the path itself where it does not exist. */
export function realPath(file: string): string {
  try {
    return realpathNative(file);
  } catch {
    return file;
  }
}

export function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

export function readTextIfAny(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Parses a JSON file; undefined where there is none or where it is not JSON. */
export function readJsonIfAny<T>(file: string): T | undefined {
  const text = readTextIfAny(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/**
 * Writes a file so that other processes see the old content, the new one or nothing, never a part.
 * @throws UserError when that is not possible
 */
export function writeAtomically(file: string, text: string): void {
  const temporary = `${file}.${pid}-${temporaryPrefix}-${temporaryFiles++}.tmp`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    remove(temporary);
    throw new UserError(
      `${file} cannot be written: ${(error as Error).message}; make its folder writable, or name ` +
        'another one as "overlay" in detsim.config.json',
    );
  }
}

/** A fingerprint of texts that is the same on every machine; 16 hexadecimal digits are kept. */
export function hashOf(...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(`${part.length}:`);
    hash.update(part);
  }
  return hash.digest('hex').slice(0, 16);
}

/** The hash of a file's content, or of there being none. */
export function contentHash(file: string): string {
  return hashOf(readTextIfAny(file) ?? 'nothing');
}

/** A path for people, sites and traces: relative to the root, with forward slashes. */
export function relativePosix(root: string, file: string): string {
  const relative = path.relative(root, file);
  return path.sep === '/' ? relative : relative.split(path.sep).join('/');
}

/** Whether `file` is the folder itself or lies anywhere below it. */
export function isInside(folder: string, file: string): boolean {
  return (
    file.startsWith(folder) &&
    (file.length === folder.length || file[folder.length] === path.sep || folder.endsWith(path.sep))
  );
}

/** Removes a file, as far as that is possible. */
export function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // What is left over does no harm.
  }
}
