/**
 * The report as one JSON document, and back. Fields may be added, never renamed; they are described
 * in docs/json-report.md and docs/json-report.schema.json.
 */

import { UserError } from '../errors.js';
import type { FileReport, Finding, SweepReport } from './model.js';

/** The document, as data. */
export function reportDocument(report: SweepReport): object {
  const { trials, elapsedMs } = report;
  return {
    format: 'detsim-report',
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
    shard: report.shard ?? null,
    findings: report.findings.map(findingFields),
    hazards: report.hazards.map(findingFields),
    uncontrolled: report.uncontrolled,
    skipped: report.skipped,
    leaks: report.leaks,
    files: report.files.map(({ sites: _, history: __, ...file }) => ({
      ...file,
      covered: file.covered ?? null,
      loadError: file.loadError ?? null,
    })),
  };
}

export function formatJson(report: SweepReport): string {
  return `${JSON.stringify(reportDocument(report), null, 2)}\n`;
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
    stack: finding.stack,
    failed: finding.failed,
    trials: finding.trials,
    seeds: finding.seeds.map(String),
    firstTrial: finding.firstTrial,
    rung: finding.rung,
    decisions: finding.decisions,
    minimized: minimized?.decisions ?? null,
    deviations: minimized?.deviations ?? null,
    schedule: minimized?.schedule ?? null,
    sentences: minimized?.sentences ?? [],
    needs: minimized?.needs ?? [],
    unconfirmable: minimized?.unconfirmable ?? null,
    flip: minimized?.flip ?? null,
    replay: replay === undefined ? null : { identical: replay.identical, ...replay.divergence },
    trace: finding.trace ?? null,
    minimizedTrace: minimized?.trace ?? null,
    reproduce: finding.reproduce,
    minimal: finding.minimal ?? null,
    note: finding.note ?? null,
  };
}

/**
 * Reads a document that `--reporter=json` has written. What was exercised await by await is not in
 * it.
 * @param name of the file, for messages
 * @throws UserError when it is none, or one of another version
 */
export function parseReport(text: string, name: string): SweepReport {
  let document: Document;
  try {
    document = JSON.parse(text) as Document;
  } catch (error) {
    throw new UserError(`${name} is no JSON: ${(error as Error).message}.`);
  }
  if (document.format !== 'detsim-report' || document.version !== 1) {
    throw new UserError(
      `${name} is not a report of a sweep of version 1. Write one with ` +
        '`detsim sweep --reporter=json:FILE`.',
    );
  }
  return {
    ...document,
    seed: Number(document.seed),
    cutShort: document.cutShort ?? undefined,
    shard: document.shard ?? undefined,
    findings: document.findings.map(findingOf),
    hazards: document.hazards.map(findingOf),
    files: document.files.map((file) => ({
      ...file,
      covered: file.covered ?? undefined,
      loadError: file.loadError ?? undefined,
      sites: { sites: [], tasks: [], pairs: [] },
    })),
  };
}

type Nullable<T> = { readonly [K in keyof T]: undefined extends T[K] ? T[K] | null : T[K] };

interface Document extends Omit<Nullable<SweepReport>, 'seed' | 'findings' | 'hazards' | 'files'> {
  readonly format: string;
  readonly version: number;
  readonly seed: string;
  readonly findings: readonly FindingFields[];
  readonly hazards: readonly FindingFields[];
  readonly files: readonly Nullable<Omit<FileReport, 'sites' | 'history'>>[];
}

type Minimized = NonNullable<Finding['minimized']>;
type Divergence = NonNullable<NonNullable<Finding['replay']>['divergence']>;

interface FindingFields
  extends
    Omit<Nullable<Finding>, 'seeds' | 'minimized' | 'replay' | 'chosen'>,
    Pick<Minimized, 'sentences' | 'needs'> {
  readonly seeds: readonly string[];
  readonly minimized: number | null;
  readonly deviations: number | null;
  readonly schedule: string | null;
  readonly unconfirmable: string | null;
  readonly flip: Minimized['flip'] | null;
  readonly minimizedTrace: string | null;
  readonly replay: ({ readonly identical: boolean } & Partial<Divergence>) | null;
}

function findingOf(fields: FindingFields): Finding {
  const { minimized, deviations, schedule, sentences, needs, unconfirmable, ...others } = fields;
  const { flip, minimizedTrace, ...rest } = others;
  const { seeds, replay, site, trace, minimal, note } = rest;
  const { identical, ...divergence } = replay ?? { identical: true };
  return {
    ...rest,
    seeds: seeds.map(Number),
    chosen: undefined,
    site: site ?? undefined,
    trace: trace ?? undefined,
    minimal: minimal ?? undefined,
    note: note ?? undefined,
    minimized:
      schedule === null
        ? undefined
        : {
            decisions: minimized!,
            deviations: deviations!,
            trace: minimizedTrace!,
            flip: flip ?? undefined,
            unconfirmable: unconfirmable ?? undefined,
            ...{ schedule, sentences, needs },
          },
    replay:
      replay === null
        ? undefined
        : { identical, ...(identical ? {} : { divergence: divergence as Divergence }) },
  };
}
