/**
 * Shows what the rules find, in a compiler that runs the transformer as a plugin (`tspc`).
 *
 * Any diagnostic that a transformer adds makes the compiler fail, whatever its category. So errors
 * are added, and warnings are written to standard error, where the compiler is a command line.
 */

import path from 'node:path';
import type ts from 'typescript';
import { checkFile, toDiagnostic } from './analyzer/check/index.js';
import type { TransformerExtras } from './index.js';

/** Checks one file of the program, as it was before any transformer. */
export function reportFindings(
  { ts, addDiagnostic }: TransformerExtras,
  program: ts.Program,
  fileName: string,
): void {
  const file = program.getSourceFile(fileName);
  if (addDiagnostic === undefined || file === undefined) return;
  if (program.isSourceFileFromExternalLibrary(file)) return;
  const warnings: ts.Diagnostic[] = [];
  for (const finding of checkFile(ts, program, file)) {
    const diagnostic = toDiagnostic(ts, file, finding);
    if (finding.rule.severity === 'error') addDiagnostic(diagnostic);
    else warnings.push(diagnostic);
  }
  if (warnings.length === 0 || !isCommandLine()) return;
  process.stderr.write(
    ts.formatDiagnostics(warnings, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => program.getCurrentDirectory(),
      getNewLine: () => '\n',
    }),
  );
}

/** Whether this process is `tsc` or `tspc`, and not a bundler or a test run. */
function isCommandLine(): boolean {
  return /^tsp?c(?:\.js)?$/.test(path.basename(process.argv[1] ?? ''));
}
