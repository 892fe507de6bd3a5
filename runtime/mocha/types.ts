/**
 * What a trial is asked for and what it answers.
 */

import type { ScopePlan } from '../explore/plan.js';
import type { OverlaySource } from '../loader/types.js';
import type { Faults } from '../node/faults.js';
import type { Scheduler } from '../tasks/scheduler.js';
import type { SourceSite } from '../tasks/sites.js';
import type { RunnerSettings } from '../runners/adapters.js';
import type { RunnerName } from '../runners/names.js';
import type { MochaOptions } from './mocha-package.js';

export interface TrialOptions {
  /** The project's root folder, an absolute path: mocha and `--require` files are found from it. */
  readonly root: string;
  readonly overlay: OverlaySource;
  /** What is fresh in each trial: the project's modules, or those of packages as well. */
  readonly isolate?: 'modules' | 'all';
  /** The test runner of the project. Default `mocha`. */
  readonly runner?: RunnerName;
  /** What the configuration of another runner than mocha says. */
  readonly runnerSettings?: RunnerSettings;
  /** Which tests to run, for the other runners than mocha. */
  readonly grep?: RegExp;
  /** Mocha's options; those of the project's own configuration when left out. */
  readonly mocha?: MochaOptions;
  /** Events until a test is called a livelock. Default 200,000. */
  readonly maxSteps?: number;
  /** How late the event loop may be, in milliseconds. Default 10. */
  readonly maxStallMs?: number;
  /** Which faults can strike. Default: none. */
  readonly faults?: Faults;
  /** Names and addresses, with `*` for any part, that lie outside and never answer. */
  readonly unreachable?: readonly string[] | undefined;
}

export interface TrialRequest {
  /** The spec file, an absolute path. */
  readonly file: string;
  /** Full title of the one test to run. */
  readonly only?: string;
  /** Which tests to run, in place of mocha's own `grep`; `only` goes before it. */
  readonly grep?: { readonly pattern: RegExp; readonly invert: boolean };
  /** Rung and strategy of every scope. */
  readonly plan: ScopePlan;
  /** Called before anything runs, to attach recorders. */
  readonly observe?: (scheduler: Scheduler) => void;
  /** What becomes of the output of the program: kept in the result, or shown as well. */
  readonly console: 'swallow' | 'show';
  /** Keeps what mocha's runner said, for a reporter. */
  readonly journal?: boolean;
}

export type FailureKind =
  'assertion' | 'error' | 'unhandledRejection' | 'deadlock' | 'livelock' | 'timeout';

/** Why a test, a hook or a file failed. The texts are bounded, whatever was thrown. */
export interface Failure {
  readonly kind: FailureKind;
  readonly name: string;
  readonly message: string;
  /** With the positions of the original source; empty when nothing with a stack was thrown. */
  readonly stack: string;
  /** Title of the hook that failed, when it was not the test itself. */
  readonly hook?: string;
  /** `file:line:column` of the innermost frame in the project, root-relative. */
  readonly site?: string;
  /** What was thrown. */
  readonly error: unknown;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

export interface TestResult {
  /** Full title; that of the hook for a suite-level hook that failed. */
  readonly title: string;
  /** The titles that it is made of, from the outermost suite on. */
  readonly path?: readonly string[];
  readonly state: 'passed' | 'failed' | 'pending' | 'skipped';
  readonly failure?: Failure;
  /** Why it did not run, or why its outcome says nothing. */
  readonly skipReason?: string;
  readonly choices: number;
  /** Virtual nanoseconds, its hooks included. */
  readonly virtualNs: number;
  /** Timers and tasks that were left at its end, one sentence each. */
  readonly leaks: readonly string[];
}

export interface TrialResult {
  readonly tests: readonly TestResult[];
  /** Fingerprint of all that happened; equal for equal runs. */
  readonly digest: number;
  /** Fingerprint of the order of the steps, whenever they happened. */
  readonly shape: number;
  /** The same for each scope that has run, by its title. */
  readonly shapes: ReadonlyMap<string, number>;
  readonly choices: number;
  readonly steps: number;
  readonly virtualNs: number;
  /** Whether there were hosts beside the one on which the tests run. */
  readonly hosts: boolean;
  /** See {@link Scheduler.overtaken}. */
  readonly overtaken: ReadonlySet<SourceSite>;
  /** Calls of what cannot be simulated, each once. */
  readonly uncontrolled: readonly { readonly call: string; readonly site: string }[];
  /** Set when a file could not be evaluated, or a global fixture failed. */
  readonly loadError?: Failure;
  /** What the program wrote to its output, bounded. */
  readonly output: string;
  /** What mocha's runner said, when the request asked for it. */
  readonly journal?: Journal;
}

/**
 * The events of mocha's runner in order, and the root of the suites they speak of. What the program
 * wrote is among them: event `output` with the name of the stream and the text.
 */
export interface Journal {
  readonly root: unknown;
  readonly events: readonly { readonly name: string; readonly args: readonly unknown[] }[];
}
