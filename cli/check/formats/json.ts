/** `--format=json`: one document, lines and columns counted from 1. Fields may be added. */

import type { CheckReport } from '../diagnostic.js';

export function formatJson({ diagnostics }: CheckReport): string {
  const document = {
    version: 1,
    diagnostics: diagnostics.map((one) => ({
      code: one.rule.code,
      severity: one.rule.severity,
      message: one.message,
      file: one.file,
      line: one.line,
      column: one.column,
      endLine: one.endLine,
      endColumn: one.endColumn,
      fixable: one.fix !== undefined,
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
