/** A diagnostic of `detsim check`, as its formats show it. */

import type { RuleInfo, TextEdit } from '../../transformer/analyzer/check/index.js';

export interface CheckDiagnostic {
  readonly rule: RuleInfo;
  readonly message: string;
  /** Root-relative, with forward slashes. */
  readonly file: string;
  /** Absolute. */
  readonly path: string;
  /** Counted from 1, as are the others. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  /** The column behind the last character. */
  readonly endColumn: number;
  /** The line it begins on. */
  readonly lineText: string;
  /** Edits that `--fix` may make, or undefined when there are none. */
  readonly fix: CheckFix | undefined;
}

export interface CheckFix {
  readonly title: string;
  /** Offsets are those of the file's text. */
  readonly edits: readonly TextEdit[];
  /** The same places, for formats that count lines. */
  readonly places: readonly Place[];
}

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** What the formats are given. */
export interface CheckReport {
  readonly diagnostics: readonly CheckDiagnostic[];
  /** How many files were looked at. */
  readonly files: number;
  /** How many fixes were applied before. */
  readonly fixed: number;
  /** How many diagnostics the baseline holds back. */
  readonly known: number;
  /** How many entries of the baseline nothing answers to any more. */
  readonly gone: number;
}

export function countOf(report: CheckReport, severity: 'error' | 'warning'): number {
  return report.diagnostics.filter(({ rule }) => rule.severity === severity).length;
}
