/**
 * Compares a run on plain mocha with one in the simulation, test by test. Titles may occur more
 * than once: what counts is how many tests of a title pass.
 */

import type { Report } from '../correct/sweep.js';

/** What is read of the report of mocha's reporter `json`. */
export interface PlainReport {
  readonly stats: { readonly tests: number; readonly passes: number };
  readonly passes: readonly { readonly fullTitle: string }[];
}

export interface Comparison {
  /** Tests that pass on plain Node, and how many of them pass in the simulation. */
  readonly plain: number;
  readonly simulated: number;
  /** Those that do not, with what is said of each. */
  readonly lost: readonly { readonly test: string; readonly message: string }[];
}

export function compare(plain: PlainReport, report: Report): Comparison {
  const failed = new Map<string, string[]>();
  const add = (test: string, message: string): void => {
    failed.set(test, [...(failed.get(test) ?? []), message]);
  };
  for (const { test, message } of report.findings) add(test, message);
  for (const { test, reason } of report.skipped) add(test, reason);
  const loaded = countTitles(report.files.flatMap(({ titles }) => titles));
  const lost: { test: string; message: string }[] = [];
  for (const [test, count] of countTitles(plain.passes.map(({ fullTitle }) => fullTitle))) {
    const messages = failed.get(test) ?? [];
    for (let k = loaded.get(test) ?? 0; k < count; k++) messages.push('was not run');
    for (const message of messages.slice(0, count)) lost.push({ test, message });
  }
  const passed = plain.passes.length - lost.length;
  return { plain: plain.passes.length, simulated: passed, lost };
}

function countTitles(titles: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1);
  return counts;
}
