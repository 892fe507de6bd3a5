/**
 * A sweep as all its machines see it: plain data that the coordinator puts into Redis, and from
 * which every worker makes the setup of its own checkout.
 */

import path from 'node:path';
import type { StrategyName } from '../../runtime/explore/strategies/names.js';
import { hashOf } from '../overlay/disk.js';
import type { ProjectSetup } from '../project.js';
import type { Shard } from '../report/shard.js';
import type { FailingSeed } from '../sweep/seeds-file.js';
import type { CodeIdentity } from './code-identity.js';

export interface SharedSweep {
  /** The name in the project's package.json. */
  readonly project: string;
  readonly code: CodeIdentity;
  /** With paths relative to the root. */
  readonly setup: ProjectSetup;
  readonly trials: number;
  readonly strategy: StrategyName;
  /** Only this part of the test files. */
  readonly shard: Shard | undefined;
  /** Seeds that failed in earlier sweeps, as they were known when this one began. */
  readonly known: readonly FailingSeed[];
}

/** The name by which the machines of one sweep find each other: the same for the same command. */
export function sweepId({ known: _, ...rest }: SharedSweep): string {
  return hashOf(JSON.stringify(rest)).slice(0, 16);
}

/** The setup without the paths of this machine. */
export function portableSetup(setup: ProjectSetup): ProjectSetup {
  const specs = setup.specs.map((spec) => toPortable(setup.root, spec));
  // Mocha's options have paths in them; each machine reads its own.
  const { mocha: _, ...runner } = setup.runner ?? { name: 'mocha' };
  return { ...setup, root: '', specs, runner };
}

/** The setup for a checkout on this machine. */
export function setupAt(root: string, setup: ProjectSetup): ProjectSetup {
  return { ...setup, root, specs: setup.specs.map((spec) => path.join(root, spec)) };
}

/** A path relative to the root, with `/`. */
export function toPortable(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join('/');
}

/** Every string of some plain data, changed; typed arrays stay as they are. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((one) => mapStrings(one as unknown, change)) as T;
  if (value instanceof Map) {
    return new Map([...value].map(([key, one]) => [key, mapStrings(one, change)])) as T;
  }
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, mapStrings(one, change)]);
  return Object.fromEntries(entries) as T;
}
