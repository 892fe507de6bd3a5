/**
 * Times of files: those of the clock that `Date.now()` reads, to the nanosecond.
 */

import { EPOCH, timeOfDay } from '../clock.js';
import type { Host } from '../host.js';

/** A time since 1970. */
export interface FileTime {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Now, by the clock of a host. Looking at it does not count as reading the clock. */
export function fileTime(host: Host): FileTime {
  const now = timeOfDay(host);
  const seconds = Math.floor(now / 1e9);
  return { seconds: EPOCH / 1e3 + seconds, nanoseconds: Math.floor(now - seconds * 1e9) };
}

/** All files of the real disk are said to be of one time, a day before the simulation began. */
export const realFileTime: FileTime = { seconds: EPOCH / 1e3 - 86_400, nanoseconds: 0 };

/** libuv sets times to the microsecond before version 1.52, and then to the nanosecond. */
const [major, minor] = process.versions.uv.split('.').map(Number);
const PER_SECOND = major > 1 || minor >= 52 ? 1e9 : 1e6;

/** The time that `utimes` is given, in seconds since 1970, as libuv takes it apart. */
export function timeOfSeconds(time: number): FileTime {
  const seconds = Math.trunc(time);
  const nanoseconds = Math.trunc((time - seconds) * PER_SECOND) * (1e9 / PER_SECOND);
  return nanoseconds < 0
    ? { seconds: seconds - 1, nanoseconds: nanoseconds + 1e9 }
    : { seconds, nanoseconds };
}
