/**
 * Fixes as editors offer them: what the rule itself proposes, then "ignore on this line" and "in
 * this file".
 */

import type ts from 'typescript';
import {
  diagnosticCode,
  ignoreFile,
  ignoreNextLine,
  type TextEdit,
} from '../transformer/analyzer/check/index.js';
import type { TypeScript } from '../transformer/analyzer/index.js';
import { findingsOf, type Finding } from './findings.js';

/** A fix for one finding. */
export interface OfferedFix {
  readonly title: string;
  /** Whether it is what most people want: it keeps the meaning of the program. */
  readonly preferred: boolean;
  readonly edits: readonly TextEdit[];
}

/** Every fix for a finding, the best first. */
export function fixesFor(ts: TypeScript, file: ts.SourceFile, finding: Finding): OfferedFix[] {
  const { rule, start, fixes } = finding;
  const { code } = rule;
  const ignore = (where: string, edit: TextEdit): OfferedFix => ({
    title: `Ignore ${code} ${where}`,
    preferred: false,
    edits: [edit],
  });
  const line = file.getLineAndCharacterOfPosition(start).line;
  const lineStart = file.getPositionOfLineAndCharacter(line, 0);
  return [
    ...fixes.map(({ title, edits, safe }) => ({ title, edits, preferred: safe })),
    // A comment inside a template or JSX would be text.
    ...(isInsideText(ts, file, lineStart)
      ? []
      : [ignore('on this line', ignoreNextLine(file, start, code))]),
    ignore('in this file', ignoreFile(file, code)),
  ];
}

function isInsideText(ts: TypeScript, file: ts.SourceFile, position: number): boolean {
  let inside = false;
  for (let node: ts.Node | undefined = file; node !== undefined;) {
    const start = node.kind === ts.SyntaxKind.JsxText ? node.pos : node.getStart(file);
    const isText =
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isStringLiteralLike(node) ||
      ts.isJsxText(node);
    inside = isText && start < position && position < node.end;
    node = ts.forEachChild(node, (child) =>
      child.pos <= position && position < child.end ? child : undefined,
    );
  }
  return inside;
}

/** What there is for the diagnostics of an editor at one place. */
export interface CodeFixes {
  /** The codes that are ours there. */
  readonly codes: ReadonlySet<number>;
  readonly fixes: readonly ts.CodeFixAction[];
}

/** The fixes for the findings that stand exactly from `start` to `end`. */
export function codeFixesAt(
  ts: TypeScript,
  program: ts.Program,
  file: ts.SourceFile,
  start: number,
  end: number,
  codes: readonly number[],
): CodeFixes {
  const found = findingsOf(ts, program, file).filter(
    (one) =>
      one.start === start && one.end === end && codes.includes(diagnosticCode(one.rule.code)),
  );
  return {
    codes: new Set(found.map(({ rule }) => diagnosticCode(rule.code))),
    fixes: found.flatMap((one) => fixesFor(ts, file, one).map((fix) => action(file, one, fix))),
  };
}

function action(file: ts.SourceFile, { rule }: Finding, fix: OfferedFix): ts.CodeFixAction {
  const { title, preferred, edits } = fix;
  const all = preferred
    ? { fixId: fixIdOf(rule.code), fixAllDescription: `${title} (all ${rule.code} in this file)` }
    : {};
  return { fixName: rule.name, description: title, changes: changes(file, edits), ...all };
}

function fixIdOf(code: string): string {
  return `detsim.${code}`;
}

/** The safe fixes of all findings of one rule in a file; undefined when `fixId` is not ours. */
export function fixAll(
  ts: TypeScript,
  program: ts.Program,
  file: ts.SourceFile,
  fixId: unknown,
): ts.CombinedCodeActions | undefined {
  const found = findingsOf(ts, program, file).filter(({ rule }) => fixIdOf(rule.code) === fixId);
  if (found.length === 0) return undefined;
  const edits: TextEdit[] = [];
  for (const { fixes } of found) {
    const fix = fixes.find(({ safe }) => safe);
    // What overlaps an earlier fix is left for another time.
    if (fix?.edits.every((edit) => edits.every((other) => !overlap(edit, other)))) {
      edits.push(...fix.edits);
    }
  }
  return { changes: changes(file, edits) };
}

function overlap(a: TextEdit, b: TextEdit): boolean {
  return (a.start < b.end && b.start < a.end) || a.start === b.start;
}

function changes(file: ts.SourceFile, edits: readonly TextEdit[]): ts.FileTextChanges[] {
  const textChanges = edits.map(({ start, end, text }) => ({
    span: { start, length: end - start },
    newText: text,
  }));
  return [{ fileName: file.fileName, textChanges }];
}
