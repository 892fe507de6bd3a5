/**
 * What a sweep found, as plain data: the one source of the report for people and of the JSON.
 */

import type { RungName } from '../../runtime/kernel/rung.js';
import type { Shard } from './shard.js';
import type { History } from '../sweep/history.js';
import type { SiteCoverage } from '../sweep/site-coverage.js';
import type { SteppedFlip } from '../sweep/investigation.js';
import type { Coverage, FailureKind } from '../sweep/protocol.js';

/** The first place where a replay left its trace. */
export interface Divergence {
  /** Counts from 1. */
  readonly step: number;
  readonly site: string;
  readonly expected: string;
  readonly got: string;
}

/** What the minimizer left. */
export interface Minimized {
  /** The schedule as text, for `DETSIM_REPLAY`. */
  readonly schedule: string;
  readonly deviations: number;
  /** Decisions in the whole run of the minimized schedule. */
  readonly decisions: number;
  /** What deviates, and what that changes; one sentence each. */
  readonly sentences: readonly string[];
  /** What has to go wrong for it to happen, each once: `a connection reset`. */
  readonly needs: readonly string[];
  /** Why `detsim confirm` does not try it, when it does not and the rung allows it. */
  readonly unconfirmable: string | undefined;
  /** Path of the trace, relative to the working directory. */
  readonly trace: string;
  /** The two steps whose order decides; undefined when no pair was seen to. */
  readonly flip: (SteppedFlip & { readonly passingTrace: string }) | undefined;
}

/** One failing test with one signature. */
export interface Finding {
  readonly signature: string;
  readonly kind: FailureKind;
  readonly message: string;
  /** Full title of the test, or the name of the hook. */
  readonly test: string;
  /** Path of the spec file, relative to the working directory. */
  readonly file: string;
  /** `file:line:column` of the failure, relative to the root, when it is known. */
  readonly site: string | undefined;
  readonly stack: string;
  /** How many trials failed so. */
  readonly failed: number;
  /** Their seeds, in order; none when a search has put the trials together. */
  readonly seeds: readonly number[];
  /** The seed that was looked at closely, when it was one. */
  readonly chosen: number | undefined;
  /** Trials of its file. */
  readonly trials: number;
  readonly firstTrial: number;
  /** The lowest rung on which it was seen to fail. */
  readonly rung: RungName;
  /** Decisions in the whole run of the first seed; 0 when it was not recorded. */
  readonly decisions: number;
  readonly minimized: Minimized | undefined;
  /** Undefined when it was not replayed: an endless loop, or the sweep was interrupted. */
  readonly replay: { readonly identical: boolean; readonly divergence?: Divergence } | undefined;
  /** Path of the trace, relative to the working directory. */
  readonly trace: string | undefined;
  /** The commands to paste. */
  readonly reproduce: string;
  readonly minimal: string | undefined;
  /** Why it was not minimized, when it was not. */
  readonly note: string | undefined;
}

export interface FileReport {
  readonly file: string;
  readonly trials: number;
  readonly failed: number;
  readonly schedules: number;
  readonly tests: number;
  /** Their full titles. */
  readonly titles: readonly string[];
  /** What is worth knowing of how it was run; one sentence each. */
  readonly notes: readonly string[];
  /** What a search has covered. */
  readonly covered: readonly Coverage[] | undefined;
  /** What the trials have exercised, await by await. */
  readonly sites: SiteCoverage;
  /** How its trials went; undefined in a report that was read from a file. */
  readonly history?: History;
  /** Why it did not load. */
  readonly loadError: string | undefined;
}

export interface SweepReport {
  readonly trials: number;
  readonly passed: number;
  readonly elapsedMs: number;
  readonly order: RungName;
  readonly failOn: RungName;
  readonly seed: number;
  /** Distinct orders of events. */
  readonly shapes: number;
  /** Distinct ways in which a trial ended: passed, or one set of failures. */
  readonly outcomes: number;
  readonly files: readonly FileReport[];
  readonly findings: readonly Finding[];
  readonly hazards: readonly Finding[];
  readonly skipped: readonly { test: string; reason: string; always: boolean }[];
  readonly leaks: readonly { test: string; text: string }[];
  readonly uncontrolled: readonly { site: string; call: string }[];
  /** Why the sweep ended before all trials were run. */
  readonly cutShort: 'interrupted' | 'time budget' | undefined;
  /** Which part of a sweep it is, when it is one. */
  readonly shard: Shard | undefined;
}

/** 0 nothing found, 1 findings, 2 a file did not load, 3 a finding does not replay. */
export function exitCode(report: SweepReport): 0 | 1 | 2 | 3 {
  if (report.findings.some((finding) => finding.kind === 'divergence')) return 3;
  if (report.files.some((file) => file.loadError !== undefined)) return 2;
  return report.findings.length > 0 ? 1 : 0;
}
