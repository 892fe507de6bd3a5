/**
 * What can go wrong with a disk.
 */

import { checkCount, checkNames, checkRate } from '../kernel/arguments.js';
import type { Spread } from '../kernel/choice.js';
import { spreadOf, type DelayRange } from '../kernel/spread.js';

/** Rates are from 0 to 1; each is 0 unless it is given. */
export interface StorageProfile {
  /**
   * Of the unsynced sectors that a crash leaves: the share of which only the beginning of what was
   * written is there.
   */
  readonly tornWrite?: number;
  /** The share of writes of which one byte reaches the medium changed. */
  readonly corruptByte?: number;
  /** The share of syncs that do nothing, and do not say so: a later one may do it. */
  readonly skipSync?: number;
  /**
   * The share of writes that reach the medium after the one that followed: where the two overlap,
   * the older stays.
   */
  readonly reorder?: number;
  /** The share of writes that land in another sector than asked. */
  readonly misdirectedWrite?: number;
  /** The share of reads that fail with a {@link DiskReadError}. */
  readonly readError?: number;
  /** How long a sync takes, in nanoseconds. Default: no time. */
  readonly latency?: DelayRange;
  /** What the medium writes at once, in bytes. Default 512. */
  readonly sectorSize?: number;
  /** How many bytes the disk holds. Default: no limit. */
  readonly maxSize?: number;
}

const RATES = [
  'tornWrite',
  'corruptByte',
  'skipSync',
  'reorder',
  'misdirectedWrite',
  'readError',
] as const;

const DEFAULTS = {
  tornWrite: 0,
  corruptByte: 0,
  skipSync: 0,
  reorder: 0,
  misdirectedWrite: 0,
  readError: 0,
  latency: { min: 0, max: 0 },
  sectorSize: 512,
  maxSize: Infinity,
};

export interface DiskFaults extends Required<StorageProfile> {
  readonly spread: Spread;
}

/**
 * Checks a profile and completes it.
 * @throws {RangeError | TypeError} with the value that is wrong
 */
export function resolveProfile(profile: StorageProfile): DiskFaults {
  const call = 'new FaultyStorage';
  checkNames(call, profile, Object.keys(DEFAULTS));
  const faults = { ...DEFAULTS, ...profile };
  for (const rate of RATES) checkRate(call, rate, faults[rate]);
  checkCount(call, 'sectorSize', faults.sectorSize, 1);
  if (faults.maxSize !== Infinity) checkCount(call, 'maxSize', faults.maxSize);
  return { ...faults, spread: spreadOf(call, 'latency', faults.latency) };
}
