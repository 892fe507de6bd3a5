/**
 * `--format=sarif`: the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), which
 * code hosts and editors import.
 */

import { rules } from '../../../transformer/analyzer/check/index.js';
import type { CheckDiagnostic, CheckFix, CheckReport, Place } from '../diagnostic.js';

/** @param version of detsim */
export function formatSarif({ diagnostics }: CheckReport, version: string): string {
  const log = {
    $schema:
      'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'detsim',
            semanticVersion: version,
            rules: rules.map((rule) => ({
              id: rule.code,
              name: rule.name,
              shortDescription: { text: plain(rule.summary) },
              fullDescription: { text: plain(rule.why), markdown: rule.why },
              help: { text: plain(rule.instead), markdown: rule.instead },
              defaultConfiguration: { level: rule.severity },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: diagnostics.map(resultOf),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function resultOf(one: CheckDiagnostic): object {
  return {
    ruleId: one.rule.code,
    ruleIndex: rules.findIndex((rule) => rule.code === one.rule.code),
    level: one.rule.severity,
    message: { text: one.message },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: encodeURI(one.file) }, region: regionOf(one) },
      },
    ],
    ...(one.fix === undefined ? {} : { fixes: [fixOf(one.file, one.fix)] }),
  };
}

function fixOf(file: string, fix: CheckFix): object {
  return {
    description: { text: plain(fix.title) },
    artifactChanges: [
      {
        artifactLocation: { uri: encodeURI(file) },
        replacements: fix.edits.map((edit, i) => ({
          deletedRegion: regionOf(fix.places[i]),
          insertedContent: { text: edit.text },
        })),
      },
    ],
  };
}

function regionOf({ line, column, endLine, endColumn }: Place): object {
  return { startLine: line, startColumn: column, endLine, endColumn };
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
