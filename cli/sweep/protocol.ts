/**
 * What the coordinator of a sweep and its workers say to each other.
 *
 * The coordinator hands a worker one job at a time. The worker answers with results as they come,
 * with signs of life, and at last with the outcome of the job. Everything is plain data that
 * survives a structured clone, and nothing in it depends on which worker did the job.
 */

import type { Origin } from '../../runtime/explore/origin.js';
import type { Profile } from '../../runtime/explore/profile.js';
import type { SearchName } from '../../runtime/explore/strategies/names.js';
import type { TraceSite } from '../../runtime/trace/format.js';
import type { Isolation } from '../values.js';
import type { SiteCoverage } from './site-coverage.js';
import type { ProjectSetup } from '../project.js';
import type { Investigation, Replay } from './investigation.js';

/** One spec file at one level of isolation. */
interface FileJob {
  /** The spec file, absolute. */
  readonly file: string;
  readonly isolate: Isolation;
  /** From the empty schedule; where it is not given, that is run first. */
  readonly profile?: Profile;
}

/** Run the empty schedule, twice. */
export interface WarmUpJob extends FileJob {
  readonly kind: 'warm-up';
}

/** Run the trials `from` to `to`, both included. */
export interface TrialsJob extends FileJob {
  readonly kind: 'trials';
  readonly from: number;
  readonly to: number;
  /** The seed of each of them; none for a search, which says itself what to run next. */
  readonly seeds: readonly number[];
  readonly search: SearchName | undefined;
  /** Set where several processes share a search. */
  readonly part?: SearchPart;
  readonly profile: Profile;
  /** The digest of trial 1; a worker that sees another one stops and says so. */
  readonly digest: number;
  /**
   * Set when this range has lost a worker before: say which trial and which test runs, and where
   * the code is when it does not come back for so many ms.
   */
  readonly carefulMs: number | undefined;
}

/** A part of a search: see {@link NoveltyRounds}. */
export interface SearchPart {
  readonly batch: number;
  /** What the parts of earlier rounds have found. */
  readonly known: Uint8Array;
}

/** Record a failure, and minimize it. */
export interface InvestigateJob extends FileJob {
  readonly kind: 'investigate';
  readonly of: Origin;
  readonly title: string;
  readonly signature: string;
  readonly minimize: boolean;
}

/** Replay a seed or a schedule, and record it. */
export interface ReplayJob extends FileJob {
  readonly kind: 'replay';
  readonly of: Origin;
  /** The full title of the test that is looked at. */
  readonly title: string | undefined;
  /** Whether only that test is run, and not the whole file. */
  readonly alone: boolean;
  /** Wait for a debugger, and stop in it where the step of this number goes on. */
  readonly inspect?: { readonly port: number; readonly step: number };
}

/** Load a file, and say which sites there are. */
export interface SitesJob extends FileJob {
  readonly kind: 'sites';
}

/** Run one test on plain Node, with real delay where the seed or schedule has it. */
export interface ConfirmJob extends FileJob {
  readonly kind: 'confirm';
  readonly of: ReplayJob['of'];
  readonly title: string;
}

export type Job = WarmUpJob | TrialsJob | InvestigateJob | ReplayJob | ConfirmJob | SitesJob;
export type JobOf<K extends Job['kind']> = Extract<Job, { kind: K }>;

export type ToWorker =
  | {
      readonly type: 'setup';
      readonly setup: ProjectSetup;
    }
  | { readonly type: 'job'; readonly job: Job }
  /** End the running job after the trial that runs now. */
  | { readonly type: 'stop' };

export type FromWorker =
  /** The worker's code is loaded, and mocha with the project's `--require` modules. */
  | { readonly type: 'ready' }
  | { readonly type: 'alive' }
  /** The worker waits for a debugger at this address. */
  | { readonly type: 'inspector'; readonly address: string }
  | { readonly type: 'trial'; readonly trial: number }
  | { readonly type: 'scope'; readonly title: string }
  | { readonly type: 'results'; readonly results: TrialResults }
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly error: WorkerError };

/** An error in a worker: the user's to solve, or a defect of ours. */
export interface WorkerError {
  readonly user: boolean;
  readonly message: string;
  readonly stack: string;
}

/** What the job of each kind comes to. */
export interface JobResults {
  'warm-up': WarmUp;
  trials: TrialsDone;
  investigate: Investigation;
  replay: Replay;
  confirm: PlainRun;
  sites: readonly TraceSite[];
}

/** How a test went on plain Node. */
export interface PlainRun {
  readonly state: string;
  readonly failure: SeenFailure | undefined;
}

export interface TrialsDone {
  /** Trial 1 went differently in this worker. */
  readonly mismatch: boolean;
  /** What a search has covered, for each test or hook that has a choice. */
  readonly covered?: readonly Coverage[];
  /** What a part of a search has found. */
  readonly found?: Uint8Array;
}

/** How far the search of one test or hook has come. */
export interface Coverage {
  readonly title: string;
  readonly ended: 'all' | 'one schedule' | 'dry' | 'trials';
  readonly trials: number;
  readonly shapes: number;
  readonly outcomes: number;
  /** Of the latest `lately` trials so many showed a new shape. */
  readonly newLately: number;
  readonly lately: number;
  /** The estimated share of the mass of shapes that was seen, from 0 to 1. */
  readonly seen: number;
}

/** What one test did in the empty schedule. */
export interface TestSummary {
  readonly title: string;
  /** The titles that it is made of, where they are known. */
  readonly path?: readonly string[];
  readonly state: 'passed' | 'failed' | 'pending' | 'skipped';
  /** Choices at or below the order of the sweep. */
  readonly choices: number;
}

export interface WarmUp {
  /** Set when the file cannot be loaded: nothing else is known then. */
  readonly loadError?: string;
  readonly tests: readonly TestSummary[];
  readonly profile: Profile;
  readonly digest: number;
  /** Whether a second run of the same process had the same digest. */
  readonly repeatable: boolean;
  /** Where the runs part, when they do. */
  readonly difference?: string | undefined;
  /** Choices at or below the order of the sweep, in the whole file. */
  readonly choices: number;
  readonly elapsedMs: number;
  readonly results: TrialResults;
}

/** Something that was seen in a trial, and the first trial that saw it. */
export interface Seen {
  readonly trial: number;
}

export interface SeenFailure extends Seen {
  readonly signature: string;
  readonly title: string;
  readonly kind: FailureKind;
  readonly message: string;
  /** With positions in the original source. */
  readonly stack: string;
  /** `file:line:column` of the innermost frame in the project, when it is known. */
  readonly site: string | undefined;
  /** What was run, when a search has put the trial together. */
  readonly schedule?: string;
}

export interface SeenSkip extends Seen {
  readonly title: string;
  readonly reason: string;
}

export interface SeenLeak extends Seen {
  readonly title: string;
  readonly text: string;
}

export interface SeenCall extends Seen {
  readonly call: string;
  readonly site: string;
}

export type FailureKind =
  | 'assertion'
  | 'error'
  | 'unhandledRejection'
  | 'deadlock'
  | 'livelock'
  | 'timeout'
  | 'leak'
  | 'hang'
  | 'divergence';

/** The results of consecutive trials. */
export interface TrialResults {
  readonly from: number;
  readonly to: number;
  /** The shape of each trial: what followed what. */
  readonly shapes: Uint32Array;
  /** For each failing trial, the signatures of its failures as indices into `failures`. */
  readonly failing: readonly (readonly [trial: number, ...signatures: number[]])[];
  /** One for each signature. */
  readonly failures: readonly SeenFailure[];
  readonly skipped: readonly SeenSkip[];
  readonly leaks: readonly SeenLeak[];
  readonly uncontrolled: readonly SeenCall[];
  readonly coverage: SiteCoverage;
  /** Wall-clock time of each trial, in ms. */
  readonly times: Float32Array;
}
