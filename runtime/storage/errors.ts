/**
 * What a disk answers instead of doing what it is asked. The codes are those of the system calls.
 */

/** There is no room for a write. Nothing of it was done. */
export class DiskFullError extends Error {
  static {
    DiskFullError.prototype.name = 'DiskFullError';
  }
  readonly code = 'ENOSPC';

  constructor(
    readonly disk: string,
    /** Where the write would have ended. */
    readonly end: number,
    readonly maxSize: number,
  ) {
    super(`disk "${disk}" is full: a write up to byte ${end} does not fit into ${maxSize} bytes`);
  }
}

/** The medium cannot be read this time. */
export class DiskReadError extends Error {
  static {
    DiskReadError.prototype.name = 'DiskReadError';
  }
  readonly code = 'EIO';

  constructor(
    readonly disk: string,
    readonly offset: number,
  ) {
    super(`disk "${disk}" cannot be read at byte ${offset}`);
  }
}
