/**
 * Sites: the instrumented positions of one source file, in the order in which they are found.
 *
 * A site is addressed by its index. Its position is the one a reader, and the engine's own stack
 * traces, would point at, counted from 1 in the original source.
 */

import type ts from 'typescript';
import type { Effects } from './effects/index.js';

/** The TypeScript module in use: the host's own copy, never one imported here. */
export type TypeScript = typeof ts;

export type SiteKind =
  'function' | 'await' | 'forAwait' | 'yield' | 'return' | 'dispose' | 'reaction' | 'call';

/** One instrumented position of a source file. */
export interface Site {
  readonly kind: SiteKind;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
  /** Name of the enclosing function; "" at module level. */
  readonly fn: string;
  /** Source of the operand or callee, on one line. */
  readonly text: string;
  /** What the segment does that begins here; undefined where none does. */
  readonly effects?: Effects | undefined;
}

const TEXT_LENGTH_MAX = 60;

/** Puts source text on one line of at most 60 characters. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * TEXT_LENGTH_MAX)
    .replace(/\s+/g, ' ')
    // A chain of calls is often broken before its dots.
    .replace(/ (?=\??\.[A-Za-z_$#])/g, '')
    .trim();
  return line.length > TEXT_LENGTH_MAX ? `${line.slice(0, TEXT_LENGTH_MAX - 1)}…` : line;
}
