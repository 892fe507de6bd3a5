/**
 * Comments that silence a rule, each with its reason:
 *
 *     // detsim-ignore-next-line DS1102: the cache is warmed in the background
 *     // detsim-ignore-file DS1003: a command-line tool, never run in a simulation
 *
 * A comment without a reason, or with a code that does not exist, silences nothing and is reported.
 */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';
import type { TextEdit } from './rule.js';

export interface Directive {
  readonly scope: 'next-line' | 'file';
  readonly codes: readonly string[];
  readonly reason: string;
  /** Offsets of the comment. */
  readonly start: number;
  readonly end: number;
  /** The line it stands on, counted from 0. */
  readonly line: number;
}

const DIRECTIVE =
  /(?:\/\/|\/\*|\{\s*\/\*)[ \t]*detsim-ignore-(next-line|file)\b([^\r\n]*?)(?:\*\/[^\r\n]*)?$/gm;
const CODES = /^[ \t]+(DS\d+(?:[ \t]*,[ \t]*DS\d+)*)[ \t]*(?::[ \t]*(.*))?$/;

/** The directives of a file, in order. */
export function directivesOf(ts: TypeScript, file: ts.SourceFile): Directive[] {
  if (!file.text.includes('detsim-ignore-')) return [];
  const matches = [...file.text.matchAll(DIRECTIVE)];
  return matches
    .filter((match) => isComment(ts, file, match.index))
    .map((match) => {
      const codes = CODES.exec(match[2]);
      return {
        scope: match[1] as 'next-line' | 'file',
        codes: codes === null ? [] : codes[1].split(',').map((one) => one.trim()),
        reason: codes?.[2]?.trim() ?? '',
        start: match.index,
        end: match.index + match[0].length,
        line: file.getLineAndCharacterOfPosition(match.index).line,
      };
    });
}

/** Whether a comment begins at `position`: it is inside no literal, and no other comment. */
function isComment(ts: TypeScript, file: ts.SourceFile, position: number): boolean {
  const before = file.text.slice(0, position);
  if (before.lastIndexOf('/*') > before.lastIndexOf('*/')) return false;
  let node: ts.Node | undefined = file;
  while (node !== undefined) {
    const isText: boolean =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isRegularExpressionLiteral(node) ||
      ts.isJsxText(node);
    if (isText && node.getStart(file) < position) return false;
    node = ts.forEachChild(node, (child) =>
      child.pos <= position && position < child.end ? child : undefined,
    );
  }
  return true;
}

/** Whether a directive silences a code at a line, counted from 0. */
export function silences(directive: Directive, code: string, line: number): boolean {
  if (directive.reason === '' || !directive.codes.includes(code)) return false;
  return directive.scope === 'file' || directive.line + 1 === line;
}

/** The edit that ignores `code` at the line of `start`, with a reason left for the user to write. */
export function ignoreNextLine(file: ts.SourceFile, start: number, code: string): TextEdit {
  const { line } = file.getLineAndCharacterOfPosition(start);
  const at = file.getPositionOfLineAndCharacter(line, 0);
  const indent = /^[ \t]*/.exec(file.text.slice(at))![0];
  const text = `${indent}// detsim-ignore-next-line ${code}: reason${newLineOf(file)}`;
  return { start: at, end: at, text };
}

/** The edit that ignores `code` in the whole file. */
export function ignoreFile(file: ts.SourceFile, code: string): TextEdit {
  const at = /^(?:\uFEFF)?(?:#![^\n]*\n)?/.exec(file.text)![0].length;
  return { start: at, end: at, text: `// detsim-ignore-file ${code}: reason${newLineOf(file)}` };
}

function newLineOf(file: ts.SourceFile): string {
  return /\r\n/.test(file.text) ? '\r\n' : '\n';
}
