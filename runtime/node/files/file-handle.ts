/**
 * What stands behind a `FileHandle` of `fs/promises`: the number of an open file, and its end.
 */

import { calls } from './calls.js';
import type { FileSystem } from './file-system.js';
import { callNow, promiseLater } from './requests.js';

let handles = 0;

export class FileHandle {
  private readonly id = ++handles;

  constructor(
    private readonly files: FileSystem,
    public fd: number,
  ) {}

  getAsyncId(): number {
    return this.id;
  }

  close(): Promise<unknown> {
    return promiseLater(this.files, calls.close, [this.releaseFD()]);
  }

  closeSync(): void {
    callNow(this.files, calls.close, [this.releaseFD()], this.closeSync);
  }

  releaseFD(): number {
    const { fd } = this;
    this.fd = -1;
    return fd;
  }
}
