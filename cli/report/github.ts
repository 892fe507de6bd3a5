/**
 * `--reporter=github`: the report for people, an annotation at the line of each finding, and a
 * summary of the job in Markdown where GitHub asks for one.
 */

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { parsePosition } from './code-frame.js';
import type { FileReport, Finding, SweepReport } from './model.js';
import { formatPretty, type PrettyOptions } from './pretty.js';
import {
  capitalized,
  count,
  formatDuration,
  formatNumber,
  KIND_NAMES,
  meaningOf,
} from './words.js';
import { pathInRepository, workflowCommand, type Level } from './workflow-command.js';

export function formatGithub(report: SweepReport, options: PrettyOptions): string {
  return [
    formatPretty(report, options),
    ...report.findings.map((finding) => annotation('error', finding, options.root)),
    ...report.hazards.map((finding) => annotation('notice', finding, options.root)),
    ...report.files.map((file) => loadError(file)),
  ].join('');
}

/** Adds to the summary of the job, where there is a job. */
export function writeJobSummary(report: SweepReport): void {
  const { GITHUB_STEP_SUMMARY: file } = process.env;
  if (file !== undefined && file !== '') appendFileSync(file, jobSummary(report));
}

function annotation(level: Level, finding: Finding, root: string): string {
  const place = finding.site === undefined ? undefined : parsePosition(finding.site);
  const at: Record<string, string | number> =
    place === undefined
      ? { file: pathInRepository(path.resolve(finding.file), finding.file) }
      : {
          file: pathInRepository(path.resolve(root, place.file), place.file),
          line: place.line,
          col: place.column,
        };
  const { minimized, minimal, reproduce } = finding;
  const text = [
    `${KIND_NAMES[finding.kind]}: ${finding.message}`,
    ...(minimized?.sentences ?? []).map(capitalized),
    meaningOf(finding),
    `Reproduce with: ${minimal ?? reproduce}`,
  ];
  return workflowCommand(level, { ...at, title: finding.test }, text.join('\n'));
}

function loadError({ file, loadError: text }: FileReport): string {
  if (text === undefined) return '';
  const at = { file: pathInRepository(path.resolve(file), file), title: 'does not load' };
  return workflowCommand('error', at, text);
}

/** The report in Markdown. */
export function jobSummary(report: SweepReport): string {
  const { files, findings, hazards, trials, passed, elapsedMs, shapes } = report;
  const head = findings.length === 0 ? 'no findings' : count(findings.length, 'finding');
  const lines = [
    `## detsim: ${head}`,
    '',
    `${formatNumber(passed)} of ${count(trials, 'trial')} passed in ${formatDuration(elapsedMs)}, ` +
      `${count(shapes, 'order of events', 'orders of events')}.`,
    '',
    '| file | tests | trials | failed | orders of events |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...files.map(
      (file) =>
        `| ${cell(file.file)} | ${file.loadError === undefined ? file.tests : 'does not load'} | ` +
        `${formatNumber(file.trials)} | ${formatNumber(file.failed)} | ` +
        `${formatNumber(file.schedules)} |`,
    ),
    ...findings.flatMap((finding) => section('Finding', finding)),
    ...hazards.flatMap((finding) => section('Hazard', finding)),
  ];
  return `${lines.join('\n')}\n\n`;
}

function section(what: string, finding: Finding): string[] {
  const { test, kind, message, site, rung, minimized, minimal, reproduce } = finding;
  return [
    '',
    `### ${what}: ${cell(test)}`,
    '',
    ...fenced(`${KIND_NAMES[kind]}: ${message}${site === undefined ? '' : `\nat ${site}`}`),
    '',
    ...(minimized?.sentences ?? []).map((sentence) => `- ${capitalized(sentence)}`),
    '',
    `Rung \`${rung}\`. ${meaningOf(finding)}`,
    '',
    ...fenced(minimal ?? reproduce, 'sh'),
  ];
}

/** A fence longer than any in the text. */
function fenced(text: string, language = ''): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, text, fence];
}

/** Text that is no Markdown. */
function cell(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#]/g, '\\$&').replaceAll('\n', ' ');
}
