/**
 * `--reporter=junit`: the XML that most CI servers read. A suite is a file, a case a test; a
 * finding is a failure of its test, and a hazard is text beside it.
 */

import type { FileReport, Finding, SweepReport } from './model.js';
import { capitalized, KIND_NAMES, meaningOf } from './words.js';

export function formatJunit(report: SweepReport): string {
  const seconds = (report.elapsedMs / 1000).toFixed(3);
  const suites = report.files.map((file) => suite(file, report));
  const sum = (of: (one: Suite) => number): number => suites.reduce((n, one) => n + of(one), 0);
  const counts = attributes({
    name: 'detsim',
    tests: sum(({ tests }) => tests),
    failures: sum(({ failures }) => failures),
    errors: sum(({ errors }) => errors),
    time: seconds,
  });
  const text = suites.map(({ xml }) => xml).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${counts}>\n${text}</testsuites>\n`;
}

interface Suite {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly xml: string;
}

function suite(file: FileReport, report: SweepReport): Suite {
  const findings = report.findings.filter((one) => one.file === file.file);
  const hazards = report.hazards.filter((one) => one.file === file.file);
  // A finding may be of a hook, which is no test of its own.
  const titles = new Set([...file.titles, ...findings.map(({ test }) => test)]);
  const skipped = new Map(
    report.skipped.filter(({ always }) => always).map(({ test, reason }) => [test, reason]),
  );
  const cases = [...titles].map((title) => {
    const of = (all: readonly Finding[]): Finding[] => all.filter(({ test }) => test === title);
    const reason = skipped.get(title);
    return [
      `    <testcase${attributes({ name: title, classname: file.file })}>\n`,
      ...of(findings).map(failure),
      reason === undefined ? '' : `      <skipped${attributes({ message: reason })}/>\n`,
      ...of(hazards).map((one) => element('system-out', `Hazard: ${description(one)}`)),
      '    </testcase>\n',
    ].join('');
  });
  if (file.loadError !== undefined) {
    const name = attributes({ name: 'does not load', classname: file.file });
    const error = element('error', file.loadError);
    cases.push(`    <testcase${name}>\n${error}    </testcase>\n`);
  }
  const failures = [...titles].filter((title) => findings.some(({ test }) => test === title));
  const errors = file.loadError === undefined ? 0 : 1;
  const counts = { tests: cases.length, failures: failures.length, errors };
  const opening = attributes({ name: file.file, ...counts });
  const xml = `  <testsuite${opening}>\n${cases.join('')}  </testsuite>\n`;
  return { ...counts, xml };
}

function failure(finding: Finding): string {
  const { kind, message } = finding;
  return element('failure', description(finding), { type: KIND_NAMES[kind], message });
}

function description(finding: Finding): string {
  const { message, site, minimized, rung, minimal, reproduce } = finding;
  return [
    message,
    ...(site === undefined ? [] : [`at ${site}`]),
    ...(minimized?.sentences ?? []).map(capitalized),
    `Rung ${rung}. ${meaningOf(finding)}`,
    `Reproduce with: ${minimal ?? reproduce}`,
  ].join('\n');
}

function element(name: string, text: string, of: Readonly<Record<string, string>> = {}): string {
  return `      <${name}${attributes(of)}>${escape(text)}</${name}>\n`;
}

function attributes(of: Readonly<Record<string, string | number>>): string {
  return Object.entries(of)
    .map(([name, value]) => ` ${name}="${escape(String(value)).replaceAll('\n', '&#10;')}"`)
    .join('');
}

/** XML has no way to write most control characters. */
function escape(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
