/**
 * What `stat` and `statfs` tell, laid out as Node's JavaScript expects it.
 */

import type { FileSystem } from './file-system.js';
import { RegularFile, type Inode } from './inode.js';

export const BLOCK_SIZE = 4096;
const DEVICE = 1;
const FIELDS = 18;
/** The size of the disk where it has no limit. */
const DISK_SIZE = 2 ** 40;

type Numbers = Float64Array | BigInt64Array;

/** Fills in the fields of `stat`, from `offset` on; all zero where there is no inode. */
export function writeStats(into: Numbers, inode: Inode | undefined, offset = 0): void {
  if (inode === undefined) {
    if (into instanceof Float64Array) into.fill(0, offset, offset + FIELDS);
    else into.fill(0n, offset, offset + FIELDS);
    return;
  }
  const { atime, mtime, ctime, birthtime, size } = inode;
  const blocks =
    inode instanceof RegularFile ? Math.ceil(size / BLOCK_SIZE) * 8 : size > BLOCK_SIZE - 1 ? 8 : 0;
  if (into instanceof Float64Array) {
    into[offset] = DEVICE;
    into[offset + 1] = inode.mode;
    into[offset + 2] = inode.nlink;
    into[offset + 3] = inode.uid;
    into[offset + 4] = inode.gid;
    into[offset + 5] = 0;
    into[offset + 6] = BLOCK_SIZE;
    into[offset + 7] = inode.number;
    into[offset + 8] = size;
    into[offset + 9] = blocks;
    into[offset + 10] = atime.seconds;
    into[offset + 11] = atime.nanoseconds;
    into[offset + 12] = mtime.seconds;
    into[offset + 13] = mtime.nanoseconds;
    into[offset + 14] = ctime.seconds;
    into[offset + 15] = ctime.nanoseconds;
    into[offset + 16] = birthtime.seconds;
    into[offset + 17] = birthtime.nanoseconds;
    return;
  }
  const numbers = new Float64Array(FIELDS);
  writeStats(numbers, inode);
  for (let i = 0; i < FIELDS; i++) into[offset + i] = BigInt(numbers[i]);
}

/** The result of `stat` in an array of its own. */
export function statsOf(inode: Inode, bigint: boolean): Numbers {
  const array = bigint ? new BigInt64Array(FIELDS) : new Float64Array(FIELDS);
  writeStats(array, inode);
  return array;
}

/** The result of `statfs`: type, bsize, blocks, bfree, bavail, files, ffree. */
export function diskStats(files: FileSystem, bigint: boolean): Numbers {
  const { maxSize } = files.faults;
  const size = maxSize === Infinity ? DISK_SIZE : maxSize;
  const blocks = Math.floor(size / BLOCK_SIZE);
  const free = Math.max(0, Math.floor((size - files.used) / BLOCK_SIZE));
  const fields = [EXT4, BLOCK_SIZE, blocks, free, free, 2 ** 26, 2 ** 26 - 1000];
  return bigint ? BigInt64Array.from(fields, BigInt) : Float64Array.from(fields);
}

/** The magic number of the file system that Linux mostly has. */
const EXT4 = 0xef53;
