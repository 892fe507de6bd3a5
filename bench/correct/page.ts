/**
 * The page of results: a row for each test file, and every finding with what is to be said of it.
 */

import path from 'node:path';
import type { Confirmation } from './confirm.js';
import type { Report } from './sweep.js';
import type { Suite } from './suites.js';

/** The sweeps of one suite; one that has not been made is missing. */
export interface SuiteResults {
  node?: Report;
  stubs?: Report;
  /** By the test of a finding on `node`. */
  confirmed?: Record<string, Confirmation>;
}

export interface Page {
  readonly suites: readonly Suite[];
  /** By the name of the suite. */
  readonly results: Readonly<Record<string, SuiteResults | undefined>>;
  readonly versionOf: (name: string) => string | undefined;
}

const INTRODUCTION = `# Correct programs

Libraries that are right, with tests that ask for what they promise: limits hold, waiters are served
in order, errors release what they hold, queues drain, timeouts lose nothing. A sweep should find
nothing here. What it finds is a bug of a library, a test that expects too much, or a defect of
detsim, and each finding has been looked at. The page is written by \`bench/correct.ts\`.

- **trials**, **orders**: trials on rung \`node\`, and distinct orders of events among them.
- **\`node\`**, **\`stubs\`**: findings up to that rung (see [rungs.md](rungs.md)).

A finding on \`node\` is tried on plain Node by \`detsim confirm\`: real timers, the real event
loop, and real delay where its schedule has it.
`;

export function renderPage({ suites, results, versionOf }: Page): string {
  const sections = suites.flatMap((suite) => {
    const result = results[suite.name];
    return result?.node === undefined ? [] : [renderSuite(suite, result, versionOf)];
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function renderSuite(
  suite: Suite,
  { node, stubs, confirmed = {} }: SuiteResults,
  versionOf: Page['versionOf'],
): string {
  const rows = node!.files.map(({ file, tests, trials, schedules }) => {
    const library = suite.ships ?? path.basename(file, '.test.ts');
    const counts = [node, stubs].map((report) => countOf(report, file));
    const cells = [path.basename(file), versionOf(library) ?? '', tests, trials, schedules];
    return `| ${[...cells, ...counts].join(' | ')} |`;
  });
  return [
    `## ${capital(suite.name)}`,
    '',
    '| file | version | tests | trials | orders | `node` | `stubs` |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...renderFindings(suite, node!, stubs, confirmed),
    ...renderSkipped(node!),
  ].join('\n');
}

function countOf(report: Report | undefined, file: string): string {
  if (report === undefined) return '';
  return String(report.findings.filter((finding) => finding.file === file).length);
}

function renderFindings(
  suite: Suite,
  node: Report,
  stubs: Report | undefined,
  confirmed: Readonly<Record<string, Confirmation>>,
): string[] {
  const known = new Set(node.findings.map(({ test }) => test));
  const more = (stubs?.findings ?? []).filter(({ test }) => !known.has(test));
  const findings = [...node.findings, ...more];
  if (findings.length === 0) return [];
  const lines = findings.map(({ test, rung, seeds, message }) => {
    const [first] = message.split('\n');
    const plain = confirmed[test];
    const check =
      plain === undefined
        ? ''
        : `; ${plain.confirmed ? 'confirmed' : 'not confirmed'} on plain Node`;
    return `- ${test} (${rung}, ${seeds.length} seeds${check}): \`${first}\``;
  });
  return [...(suite.verdict === undefined ? [] : [suite.verdict, '']), ...lines, ''];
}

function renderSkipped({ skipped }: Report): string[] {
  const lines = skipped.map(({ test, reason }) => `- ${test}: ${reason}`);
  return lines.length === 0 ? [] : ['Skipped:', '', ...lines, ''];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
