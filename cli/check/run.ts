/** Runs the rules over all targets. */

import path from 'node:path';
import ts from 'typescript';
import { checkFile, type Finding } from '../../transformer/analyzer/check/index.js';
import { relativePosix } from '../overlay/disk.js';
import { isSourceFile } from '../overlay/format.js';
import type { CheckDiagnostic, CheckFix, Place } from './diagnostic.js';
import type { Target } from './targets.js';

export interface CheckRun {
  /** In order of file and position. */
  readonly diagnostics: CheckDiagnostic[];
  readonly files: number;
}

/** The editor's way of seeing referenced projects; the declaration of a host leaves it out. */
interface HostOfSources extends ts.CompilerHost {
  useSourceOfProjectReferenceRedirect(): boolean;
}

/** @param root what the paths of diagnostics are relative to */
export function runRules(root: string, targets: readonly Target[]): CheckRun {
  const seen = new Set<string>();
  const diagnostics: CheckDiagnostic[] = [];
  for (const { options, rootNames, isWanted } of targets) {
    const host = ts.createCompilerHost(options, true) as HostOfSources;
    host.useSourceOfProjectReferenceRedirect = () => true;
    const program = ts.createProgram({ rootNames, options, host });
    for (const file of program.getSourceFiles()) {
      const name = path.normalize(file.fileName);
      if (file.isDeclarationFile || !isSourceFile(name) || seen.has(name)) continue;
      if (!isWanted(name)) continue;
      seen.add(name);
      for (const finding of checkFile(ts, program, file)) {
        diagnostics.push(describe(root, file, finding));
      }
    }
  }
  diagnostics.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return { diagnostics, files: seen.size };
}

function describe(root: string, file: ts.SourceFile, finding: Finding): CheckDiagnostic {
  const { rule, message, start, end } = finding;
  const safe = finding.fixes.find((fix) => fix.safe);
  const fix: CheckFix | undefined = safe && {
    title: safe.title,
    edits: safe.edits,
    places: safe.edits.map((edit) => placeOf(file, edit.start, edit.end)),
  };
  const place = placeOf(file, start, end);
  return {
    rule,
    message,
    file: relativePosix(root, path.normalize(file.fileName)),
    path: path.normalize(file.fileName),
    ...place,
    lineText: lineAt(file, place.line),
    fix,
  };
}

function placeOf(file: ts.SourceFile, start: number, end: number): Place {
  const first = file.getLineAndCharacterOfPosition(start);
  const last = file.getLineAndCharacterOfPosition(end);
  return {
    line: first.line + 1,
    column: first.character + 1,
    endLine: last.line + 1,
    endColumn: last.character + 1,
  };
}

function lineAt(file: ts.SourceFile, line: number): string {
  const starts = file.getLineStarts();
  const text = file.text.slice(starts[line - 1], starts[line]);
  return text.replace(/[\r\n]+$/, '');
}
