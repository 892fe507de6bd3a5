/**
 * Open files and their numbers. A number that was closed is the next to be given again.
 */

import { constants } from 'node:fs';
import { failure } from './failure.js';
import type { Inode } from './inode.js';

/** Below are those that a Node process has for itself. */
const FIRST = 20;

const { O_WRONLY, O_RDWR, O_APPEND } = constants;

/** An open file description: what one `open` has opened. */
export class OpenFile {
  position = 0;
  /** Whether Node reads a module from it; see `module-loads.ts`. */
  loads = false;

  constructor(
    readonly inode: Inode,
    readonly flags: number,
  ) {}

  get readable(): boolean {
    return (this.flags & O_WRONLY) === 0;
  }

  get writable(): boolean {
    return (this.flags & (O_WRONLY | O_RDWR)) !== 0;
  }

  get appends(): boolean {
    return (this.flags & O_APPEND) !== 0;
  }
}

export class Descriptors {
  private files: (OpenFile | undefined)[] = [];

  add(file: OpenFile): number {
    const free = this.files.indexOf(undefined);
    const index = free < 0 ? this.files.length : free;
    this.files[index] = file;
    return FIRST + index;
  }

  /** Whether a number is that of an open file of the simulation. */
  has(descriptor: number): boolean {
    return this.files[descriptor - FIRST] !== undefined;
  }

  /** Whether it is one from which Node reads a module. */
  loads(descriptor: unknown): boolean {
    return this.files[(descriptor as number) - FIRST]?.loads === true;
  }

  get(descriptor: number): OpenFile {
    const file = this.files[descriptor - FIRST];
    if (file === undefined) throw failure('EBADF');
    return file;
  }

  close(descriptor: number): void {
    this.get(descriptor);
    this.files[descriptor - FIRST] = undefined;
  }

  closeAll(): void {
    this.files = [];
  }
}
