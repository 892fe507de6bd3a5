/**
 * Findings as diagnostics of TypeScript, for hosts that show those: `tspc` and the editor.
 *
 * A host's own quick fixes go by the number of a diagnostic, so ours must not be one of its own:
 * DS1002 has the number 631002 there. The text carries the code that the documentation uses.
 */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';
import type { Finding } from './rule.js';

const NUMBERS_FROM = 630_000;

/** The number of a rule's code in a host's diagnostics. */
export function diagnosticCode(code: string): number {
  return NUMBERS_FROM + Number(code.slice(2));
}

export function toDiagnostic(
  ts: TypeScript,
  file: ts.SourceFile,
  { rule, start, end, message }: Finding,
): ts.DiagnosticWithLocation {
  const { Error, Warning } = ts.DiagnosticCategory;
  return {
    file,
    start,
    length: end - start,
    code: diagnosticCode(rule.code),
    category: rule.severity === 'error' ? Error : Warning,
    messageText: `${message} (${rule.code})`,
    source: 'detsim',
  };
}
