/**
 * `.detsim/last-sweep.json`: what the last sweep saw of each await, for editors and other tools.
 * Its fields are described in docs/last-sweep.md.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../errors.js';
import { parseReport, reportDocument } from '../report/json.js';
import type { FileReport, Finding, SweepReport } from '../report/model.js';
import type { History } from './history.js';
import type { SiteCounts, SiteCoverage } from './site-coverage.js';

/** What a file's trials have left untried. */
export interface Untested {
  /** Awaits that nothing overtook in any trial. */
  readonly neverOvertaken: readonly SiteCounts[];
  /** Awaits whose operand never rejected, as far as was looked. */
  readonly neverRejected: readonly SiteCounts[];
  /** Functions of which neither took a step while the other was under way. */
  readonly neverInterleaved: readonly (readonly [string, string])[];
}

export function untestedOf({ sites, tasks, pairs }: SiteCoverage): Untested {
  const awaits = sites.filter(({ kind }) => kind === 'await');
  const seen = new Set(pairs.map((pair) => pair.join('\n')));
  return {
    neverOvertaken: awaits.filter(({ overtaken }) => overtaken === 0),
    neverRejected: awaits.filter(({ rejected }) => !rejected),
    neverInterleaved: tasks.flatMap((a, i) =>
      tasks.slice(i + 1).flatMap((b) => (seen.has(`${a}\n${b}`) ? [] : [[a, b] as const])),
    ),
  };
}

export function writeLastSweep(root: string, report: SweepReport): void {
  const document = {
    format: 'detsim-sweep',
    version: 1,
    seed: String(report.seed),
    order: report.order,
    trials: report.trials,
    files: report.files.map(({ file, trials, failed, sites: coverage }) => {
      const { neverInterleaved } = untestedOf(coverage);
      return { file, trials, failed, sites: coverage.sites, neverInterleaved };
    }),
    findings: [...report.findings, ...report.hazards].map(findingOf),
  };
  write(root, 'last-sweep.json', document);
}

/** `.detsim/last-report.json`: what `detsim report` makes a page of. */
export interface LastReport {
  readonly report: SweepReport;
  /** By file. */
  readonly histories: Readonly<Record<string, History>>;
  readonly coverage: Readonly<Record<string, SiteCoverage>>;
  /** Where the sweep ran, which its paths start from, relative to the root. */
  readonly cwd: string;
}

const LAST_REPORT = 'last-report.json';

export function writeLastReport(root: string, report: SweepReport): void {
  const of = <T>(pick: (file: FileReport) => T): Record<string, T> =>
    Object.fromEntries(report.files.map((file) => [file.file, pick(file)]));
  write(root, LAST_REPORT, {
    ...reportDocument(report),
    histories: of(({ history }) => history),
    coverage: of(({ sites }) => sites),
    cwd: path.relative(root, process.cwd()),
  });
}

/** @throws UserError when there is none, or one of another version */
export function readLastReport(root: string): LastReport {
  const file = path.join(root, '.detsim', LAST_REPORT);
  if (!existsSync(file)) {
    throw new UserError(`No sweep has been made in ${root}. Run \`detsim sweep\` first.`);
  }
  const text = readFileSync(file, 'utf8');
  const report = parseReport(text, path.relative(process.cwd(), file));
  const { histories, coverage, cwd } = JSON.parse(text) as Omit<LastReport, 'report'>;
  return { report, histories, coverage, cwd };
}

function write(root: string, name: string, document: object): void {
  const folder = path.join(root, '.detsim');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), `${JSON.stringify(document, null, 2)}\n`);
}

function findingOf({
  test,
  file,
  kind,
  message,
  site,
  rung,
  seeds,
  failed,
  minimized,
}: Finding): object {
  return {
    test,
    file,
    kind,
    message,
    site: site ?? null,
    rung,
    trials: failed,
    firstSeed: seeds.length === 0 ? null : String(seeds[0]),
    schedule: minimized?.schedule ?? null,
    sentences: minimized?.sentences ?? [],
    flip: minimized?.flip ?? null,
  };
}
