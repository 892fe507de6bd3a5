/**
 * Puts the reports of shards together: the report of the sweep that they are parts of.
 *
 * A shard sweeps whole test files. What is found in a file does not depend on other files, so the
 * parts add up to what one sweep of all files finds.
 */

import { UserError } from '../errors.js';
import type { FileReport, SweepReport } from './model.js';

interface Named {
  readonly name: string;
  readonly report: SweepReport;
}

/** @throws UserError when the reports are not the parts of one sweep */
export function mergeReports(parts: readonly Named[]): SweepReport {
  checkShards(parts);
  const reports = parts.map(({ report }) => report);
  const [first] = reports;
  for (const key of ['seed', 'order', 'failOn'] as const) {
    const other = parts.find(({ report }) => report[key] !== first[key]);
    if (other === undefined) continue;
    throw new UserError(
      `${parts[0].name} and ${other.name} are of different sweeps: "${key}" is ` +
        `${first[key]} in the one and ${other.report[key]} in the other.`,
    );
  }
  const files = inOrder(reports);
  const place = new Map(files.map(({ file }, i) => [file, i]));
  const all = <T>(of: (report: SweepReport) => readonly T[]): T[] => reports.flatMap(of);
  const byFile = <T extends { readonly file: string }>(items: T[]): T[] =>
    items.sort((a, b) => place.get(a.file)! - place.get(b.file)!);
  const sum = (of: (report: SweepReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const passed = sum((report) => report.passed);
  const calls = new Map(
    all((report) => report.uncontrolled).map((call) => [`${call.site}\n${call.call}`, call]),
  );
  return {
    trials: sum((report) => report.trials),
    passed,
    // They ran side by side.
    elapsedMs: Math.max(...reports.map(({ elapsedMs }) => elapsedMs)),
    order: first.order,
    failOn: first.failOn,
    seed: first.seed,
    shapes: sum((report) => report.shapes),
    // That a trial passed is one outcome, whatever its file.
    outcomes: sum((report) => report.outcomes - Math.sign(report.passed)) + Math.sign(passed),
    files,
    findings: byFile(all((report) => report.findings)),
    hazards: byFile(all((report) => report.hazards)),
    skipped: all((report) => report.skipped),
    leaks: all((report) => report.leaks),
    uncontrolled: [...calls.values()],
    cutShort: reports.find(({ cutShort }) => cutShort !== undefined)?.cutShort,
    shard: undefined,
  };
}

/** Each part has to be there, and once. */
function checkShards(parts: readonly Named[]): void {
  const seen = new Map<string, string>();
  for (const { name, report } of parts) {
    for (const { file } of report.files) {
      const other = seen.get(file);
      if (other !== undefined) {
        throw new UserError(
          `${file} is in two of the reports: ${other} and ${name}. Leave one out.`,
        );
      }
      seen.set(file, name);
    }
  }
  const shards = parts.flatMap(({ report }) => report.shard ?? []);
  const count = Math.max(0, ...shards.map((shard) => shard.count));
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter(
    (index) => !shards.some((shard) => shard.index === index),
  );
  if (missing.length === 0) return;
  throw new UserError(
    `The report of shard ${missing.join(', ')} of ${count} is missing: with it the sweep is whole. ` +
      'Each shard writes one with --reporter=json:FILE, also when it has findings.',
  );
}

/** The files in the order of the whole sweep: the parts have taken them in turn. */
function inOrder(reports: readonly SweepReport[]): FileReport[] {
  const turns = reports.flatMap(({ files, shard }) =>
    files.map((file, i) => ({ file, turn: [i, shard?.index ?? 0] as const })),
  );
  turns.sort((a, b) => a.turn[0] - b.turn[0] || a.turn[1] - b.turn[1]);
  return turns.map(({ file }) => file);
}
