/** `--fix`: applies the safe fixes of all files, as far as they do not overlap. */

import { readText, writeAtomically } from '../overlay/disk.js';
import type { CheckDiagnostic, CheckFix } from './diagnostic.js';

/** @returns how many fixes were applied; those that overlapped are left for the next round */
export function applyFixes(diagnostics: readonly CheckDiagnostic[]): number {
  const byFile = new Map<string, CheckFix[]>();
  for (const { path, fix } of diagnostics) {
    if (fix !== undefined) byFile.set(path, [...(byFile.get(path) ?? []), fix]);
  }
  let applied = 0;
  for (const [file, fixes] of byFile) {
    const chosen = withoutOverlap(fixes);
    const edits = chosen.flatMap((fix) => fix.edits).sort((a, b) => b.start - a.start);
    // TypeScript counts without a byte order mark.
    const whole = readText(file);
    const mark = whole.startsWith('\uFEFF') ? '\uFEFF' : '';
    let text = whole.slice(mark.length);
    for (const { start, end, text: inserted } of edits) {
      text = text.slice(0, start) + inserted + text.slice(end);
    }
    writeAtomically(file, mark + text);
    applied += chosen.length;
  }
  return applied;
}

function withoutOverlap(fixes: readonly CheckFix[]): CheckFix[] {
  const chosen: CheckFix[] = [];
  let end = -1;
  for (const fix of [...fixes].sort((a, b) => startOf(a) - startOf(b))) {
    if (startOf(fix) <= end) continue;
    chosen.push(fix);
    end = Math.max(...fix.edits.map((edit) => edit.end));
  }
  return chosen;
}

function startOf(fix: CheckFix): number {
  return Math.min(...fix.edits.map((edit) => edit.start));
}
