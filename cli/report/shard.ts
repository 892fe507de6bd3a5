/**
 * `--shard=i/n`: parts of a sweep that different jobs of a pipeline run.
 *
 * A part is whole test files: what is tried in a file depends on what its earlier trials showed,
 * and on no other file, so the parts together try what one sweep tries.
 */

import { UserError } from '../errors.js';

/** A part of a sweep: the `index`-th of `count`. Counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Reads `2/5`. */
export function parseShard(text: string): Shard {
  const [, index, count] = (/^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(text) ?? []).map(Number);
  if (index !== undefined && index <= count) return { index, count };
  throw new UserError(
    `--shard must be i/n, the i-th of n parts, for instance --shard=1/4, but it is "${text}".`,
  );
}

/** The test files of a part: every `count`-th, so that neighbours, which are alike, are spread. */
export function filesOf<T>({ index, count }: Shard, files: readonly T[]): T[] {
  return files.filter((_, i) => i % count === index - 1);
}
