/** `--format=pretty`: as tsc prints diagnostics on a terminal, with the line that is meant. */

import type { Colors } from '../../report/style.js';
import { count } from '../../report/words.js';
import { countOf, type CheckDiagnostic, type CheckReport } from '../diagnostic.js';

export function formatPretty(report: CheckReport, c: Colors): string {
  const blocks = report.diagnostics.map((one) => `${block(one, c)}\n\n`);
  return `${blocks.join('')}${summary(report).join('\n')}\n`;
}

function block(one: CheckDiagnostic, c: Colors): string {
  const { file, line, column, rule, message } = one;
  const isError = rule.severity === 'error';
  const position = `${c.cyan(file)}:${c.yellow(String(line))}:${c.yellow(String(column))}`;
  const severity = isError ? c.red('error') : c.yellow('warning');
  const fixable = one.fix === undefined ? '' : c.dim(' (--fix)');
  const head = `${position} - ${severity} ${c.dim(`${rule.code}:`)} ${message}${fixable}`;
  const text = expanded(one.lineText).trimEnd();
  const number = String(line);
  const before = expanded(one.lineText.slice(0, column - 1)).length;
  const end =
    one.endLine === line ? expanded(one.lineText.slice(0, one.endColumn - 1)).length : text.length;
  const color = isError ? c.red : c.yellow;
  const mark = color('~'.repeat(Math.max(1, end - before)));
  const margin = ' '.repeat(number.length + 1 + before);
  return `${head}\n\n${c.inverse(number)} ${text}\n${margin}${mark}`;
}

function expanded(text: string): string {
  return text.replaceAll('\t', '  ');
}

function summary(report: CheckReport): string[] {
  const { diagnostics, files, fixed, known, gone } = report;
  const errors = countOf(report, 'error');
  const warnings = countOf(report, 'warning');
  const fixable = diagnostics.filter((one) => one.fix !== undefined).length;
  const found =
    diagnostics.length === 0
      ? `Nothing found in ${count(files, 'file')}.`
      : `Found ${count(errors, 'error')} and ${count(warnings, 'warning')} in ` +
        `${count(new Set(diagnostics.map((one) => one.file)).size, 'file')} of ${files}.`;
  return [
    found,
    ...(fixed > 0 ? [`${count(fixed, 'fix', 'fixes')} applied.`] : []),
    ...(fixable > 0 ? [`${count(fixable, 'fix', 'fixes')} can be applied with --fix.`] : []),
    ...(known > 0 ? [`${known} more ${known === 1 ? 'is' : 'are'} in the baseline.`] : []),
    ...(gone > 0
      ? [
          `${gone} of the baseline ${gone === 1 ? 'is' : 'are'} gone: --update-baseline leaves it out.`,
        ]
      : []),
  ];
}
