/**
 * How long it takes to move many bytes: a big file is read after a small one that was begun later.
 *
 * Measured with Node 20 on ext4, in the page cache: `readFile` of 1 KB, 1 MB, 3 MB and 16 MB takes
 * 0.2, 0.6, 1.8 and 7 ms, `writeFile` 0.5, 1.2, 3.2 and 13 ms, so a byte takes 0.4 to 0.8 ns. Fast
 * machines move five times as many. Which of them a run is on is one choice, on rung `node`: what
 * comes first must not hang on how fast the disk of the author is.
 */

import type { FileSystem } from './file-system.js';

/** What fewer bytes take is lost in what the call itself takes, and in how much that varies. */
const MANY_BYTES = 64 * 1024;
const BYTES_PER_NANOSECOND = 2;
const QUICK_BYTES_PER_NANOSECOND = 10;

/** What moving so many bytes takes beyond the call itself, in nanoseconds. */
export function timeToMove(files: FileSystem, bytes: number): number {
  if (bytes < MANY_BYTES) return 0;
  return Math.ceil(bytes / (files.isQuick() ? QUICK_BYTES_PER_NANOSECOND : BYTES_PER_NANOSECOND));
}
