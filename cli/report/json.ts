/**
 * The report as one JSON document. Fields may be added, never renamed.
 */

import type { Finding, SweepReport } from './model.js';

export function formatJson(report: SweepReport): string {
  const { trials, elapsedMs } = report;
  const document = {
    version: 1,
    trials,
    passed: report.passed,
    elapsedMs: Math.round(elapsedMs),
    trialsPerSecond: elapsedMs > 0 ? Math.round((trials / elapsedMs) * 1000) : 0,
    order: report.order,
    failOn: report.failOn,
    seed: String(report.seed),
    shapes: report.shapes,
    outcomes: report.outcomes,
    cutShort: report.cutShort ?? null,
    findings: report.findings.map(findingFields),
    hazards: report.hazards.map(findingFields),
    uncontrolled: report.uncontrolled,
    skipped: report.skipped,
    leaks: report.leaks,
    files: report.files.map(({ sites: _, ...file }) => ({
      ...file,
      covered: file.covered ?? null,
      loadError: file.loadError ?? null,
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function findingFields(finding: Finding): object {
  const { minimized, replay } = finding;
  return {
    signature: finding.signature,
    kind: finding.kind,
    message: finding.message,
    test: finding.test,
    file: finding.file,
    site: finding.site ?? null,
    failed: finding.failed,
    seeds: finding.seeds.map(String),
    firstTrial: finding.firstTrial,
    rung: finding.rung,
    decisions: finding.decisions,
    minimized: minimized?.decisions ?? null,
    deviations: minimized?.deviations ?? null,
    schedule: minimized?.schedule ?? null,
    sentences: minimized?.sentences ?? [],
    needs: minimized?.needs ?? [],
    flip: minimized?.flip ?? null,
    replay: replay === undefined ? null : { identical: replay.identical, ...replay.divergence },
    trace: finding.trace ?? null,
    minimizedTrace: minimized?.trace ?? null,
    reproduce: finding.reproduce,
    minimal: finding.minimal ?? null,
    note: finding.note ?? null,
  };
}
