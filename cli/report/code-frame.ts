/**
 * Where a failure is: the lines of a source file around a position, with a mark under the column,
 * and the way there.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Reads `file:line:column`. */
export function parsePosition(text: string): Position | undefined {
  const match = /^(.+):(\d+):(\d+)$/.exec(text);
  return match === null
    ? undefined
    : { file: match[1], line: Number(match[2]), column: Number(match[3]) };
}

/**
 * The lines around a position, or nothing where the file cannot be read.
 * @param root what the position's file is relative to
 */
export function codeFrame(root: string, position: Position, around = 2): string[] {
  let lines: string[];
  try {
    lines = readFileSync(path.resolve(root, position.file), 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
  if (position.line > lines.length) return [];
  const first = Math.max(1, position.line - around);
  const last = Math.min(lines.length, position.line + around);
  const width = String(last).length;
  const frame: string[] = [];
  for (let line = first; line <= last; line++) {
    const here = line === position.line;
    const text = lines[line - 1].replaceAll('\t', '  ');
    frame.push(`${here ? '>' : ' '} ${String(line).padStart(width)} | ${text}`.trimEnd());
    if (here) {
      const before = lines[line - 1].slice(0, position.column - 1).replaceAll('\t', '  ');
      frame.push(`  ${' '.repeat(width)} | ${' '.repeat(before.length)}^`);
    }
  }
  return frame;
}

/** The lines of a stack that are positions in the program; nothing when there is only one. */
export function framesOf(stack: string, root: string): string[] {
  const frames = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/\bnode:/.test(line))
    .map((line) => line.replaceAll(root + path.sep, ''));
  return frames.length > 1 ? frames : [];
}
