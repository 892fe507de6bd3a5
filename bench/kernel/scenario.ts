/**
 * What the kernel benchmark runs: a scenario under many seeds. Each has a file of its own here, and
 * is listed in scenarios.ts.
 */

export interface Scenario {
  readonly name: string;
  /**
   * What the original takes for one run, in nanoseconds, on a machine where a native `await null`
   * costs 60 ns.
   */
  readonly original?: number;
  /** The most that one run may take on such a machine, in nanoseconds. */
  readonly limit?: number;
  /** How many runs make one measurement, each with a seed of its own from 1 on. */
  readonly runs: number;
  /** One run. */
  run(seed: number): Work;
}

/** What a run has done, so that two versions can be shown to do the same. */
export interface Work {
  /** Fingerprint of the run. */
  readonly hash: number;
  /** Choices that were made. */
  readonly decisions?: number;
  /** Messages that arrived. */
  readonly deliveries?: number;
  /** Keys that a store got back. */
  readonly recovered?: number;
  /** Virtual time that passed, in nanoseconds. */
  readonly simulated?: number;
}
