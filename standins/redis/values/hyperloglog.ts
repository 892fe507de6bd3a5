/**
 * A HyperLogLog that counts exactly: the stand-in keeps what was added. Programs must cope with an
 * estimate, and an exact count is one of those.
 */

export class HyperLogLog {
  readonly members = new Set<string>();
}
