/**
 * What `detsim sim --mode=NAME` runs: a scenario with a name, and options of the command line.
 */

import type { NoveltyReport } from '../explore/novelty/index.js';
import type { FaultKinds, FaultProfile } from './swarm.js';

export interface ModeOptions {
  /** How many nodes there are. */
  readonly nodes: number;
  /** Rate at which messages are lost. */
  readonly drop: number;
  /** Rate at which a crash tears sectors. */
  readonly torn: number;
  /** Rate at which writes are corrupted. */
  readonly corrupt: number;
  /** Whether the store checks what it reads. */
  readonly checksums: boolean;
  /** With `--swarm` the faults drawn from the seed, which take the place of the rates above. */
  readonly faults?: FaultProfile;
}

export interface ModeResult {
  /** What the run of the seed came to, as one line that begins with `seed=N`. */
  readonly line: string;
  /** Whether something has happened that must not. */
  readonly violation: boolean;
}

export interface Mode {
  readonly name: string;
  /** A line for `--help`. */
  readonly description: string;
  /** The options that it has, and what they are when they are not given. */
  readonly defaults: Partial<ModeOptions>;
  /** What a swarm may draw; without it there is no `--swarm`. */
  readonly faults?: FaultKinds;
  run(seed: number, options: ModeOptions): ModeResult;
  /** With `--novelty`: explores the orders of the scenario instead of running seeds. */
  explore?(seed: number, trials: number): NoveltyReport;
  /** A line after that of the last seed. */
  summary?(): string;
}
