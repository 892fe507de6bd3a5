/**
 * Lua's patterns: character classes, repetitions, captures, %b and %f.
 *
 * Matches by trying, from left to right, as the reference manual of Lua 5.1 (section 5.4.1)
 * describes.
 */

import { LuaError } from './value.js';

/** A captured piece: its start and its length, or a position when that is -1. */
interface Capture {
  readonly start: number;
  length: number;
}

const POSITION = -1;
const OPEN = -2;
const CAPTURES_MAX = 32;
const DEPTH_MAX = 6000;

const CLASSES: Readonly<Record<string, (code: number) => boolean>> = {
  a: (code) => isUpper(code) || isLower(code),
  c: (code) => code < 32 || code === 127,
  d: (code) => code >= 48 && code <= 57,
  l: (code) => isLower(code),
  p: (code) => code > 32 && code < 127 && !isAlphanumeric(code),
  s: (code) => code === 32 || (code >= 9 && code <= 13),
  u: (code) => isUpper(code),
  w: (code) => isAlphanumeric(code),
  x: (code) => (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 102),
  z: (code) => code === 0,
};

const isUpper = (code: number): boolean => code >= 65 && code <= 90;
const isLower = (code: number): boolean => code >= 97 && code <= 122;
const isAlphanumeric = (code: number): boolean =>
  isUpper(code) || isLower(code) || (code >= 48 && code <= 57);

function inClass(code: number, letter: string): boolean {
  const test = CLASSES[letter.toLowerCase()];
  if (test === undefined) return letter.charCodeAt(0) === code;
  return test(code) === (letter === letter.toLowerCase());
}

export class Matcher {
  private captures: Capture[] = [];
  private depth = 0;

  constructor(
    private readonly subject: string,
    private readonly pattern: string,
  ) {}

  /** The end of a match that begins there, or undefined. */
  match(start: number, patternStart: number): number | undefined {
    this.captures = [];
    this.depth = 0;
    return this.step(start, patternStart);
  }

  /** What was captured; the whole match when nothing was to be. */
  captured(start: number, end: number, whole: boolean): (string | number)[] {
    if (this.captures.length === 0 && whole) return [this.subject.slice(start, end)];
    return this.captures.map((capture) => {
      if (capture.length === POSITION) return capture.start + 1;
      if (capture.length === OPEN) throw new LuaError('unfinished capture');
      return this.subject.slice(capture.start, capture.start + capture.length);
    });
  }

  private step(s: number, p: number): number | undefined {
    if (++this.depth > DEPTH_MAX) throw new LuaError('pattern too complex');
    try {
      return this.inner(s, p);
    } finally {
      this.depth--;
    }
  }

  private inner(start: number, at: number): number | undefined {
    const { pattern, subject } = this;
    let [s, p] = [start, at];
    for (;;) {
      if (p >= pattern.length) return s;
      const letter = pattern[p];
      if (letter === '(') {
        const position = pattern[p + 1] === ')';
        return this.open(s, position ? p + 2 : p + 1, position ? POSITION : OPEN);
      }
      if (letter === ')') return this.close(s, p + 1);
      if (letter === '$' && p + 1 === pattern.length) return s === subject.length ? s : undefined;
      if (letter === '%' && pattern[p + 1] === 'b') {
        const end = this.balanced(s, p + 2);
        if (end === undefined) return undefined;
        [s, p] = [end, p + 4];
        continue;
      }
      if (letter === '%' && pattern[p + 1] === 'f') {
        p += 2;
        if (pattern[p] !== '[') throw new LuaError("missing '[' after '%f' in pattern");
        const end = this.classEnd(p);
        const code = (i: number) => (i < 0 || i >= subject.length ? 0 : subject.charCodeAt(i));
        if (this.inSet(code(s - 1), p, end - 1) || !this.inSet(code(s), p, end - 1)) {
          return undefined;
        }
        p = end;
        continue;
      }
      if (letter === '%' && /\d/.test(pattern[p + 1] ?? '')) {
        const end = this.repeated(s, pattern[p + 1]);
        if (end === undefined) return undefined;
        [s, p] = [end, p + 2];
        continue;
      }
      const end = this.classEnd(p);
      const repetition = pattern[end];
      if (repetition === '?') {
        if (this.fits(s, p, end)) {
          const found = this.step(s + 1, end + 1);
          if (found !== undefined) return found;
        }
        p = end + 1;
      } else if (repetition === '*' || repetition === '+') {
        return this.longest(s, p, end, repetition === '+' ? 1 : 0);
      } else if (repetition === '-') return this.shortest(s, p, end);
      else {
        if (!this.fits(s, p, end)) return undefined;
        [s, p] = [s + 1, end];
      }
    }
  }

  private longest(s: number, p: number, end: number, least: number): number | undefined {
    let count = 0;
    while (this.fits(s + count, p, end)) count++;
    for (; count >= least; count--) {
      const found = this.step(s + count, end + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private shortest(start: number, p: number, end: number): number | undefined {
    for (let s = start; ; s++) {
      const found = this.step(s, end + 1);
      if (found !== undefined) return found;
      if (!this.fits(s, p, end)) return undefined;
    }
  }

  private open(s: number, p: number, length: number): number | undefined {
    if (this.captures.length >= CAPTURES_MAX) throw new LuaError('too many captures');
    const count = this.captures.length;
    this.captures.push({ start: s, length });
    const found = this.step(s, p);
    if (found === undefined) this.captures.length = count;
    return found;
  }

  private close(s: number, p: number): number | undefined {
    const open = this.captures.findLast(({ length }) => length === OPEN);
    if (open === undefined) throw new LuaError('invalid pattern capture');
    open.length = s - open.start;
    const found = this.step(s, p);
    if (found === undefined) open.length = OPEN;
    return found;
  }

  private balanced(start: number, p: number): number | undefined {
    const [opening, closing] = [this.pattern[p], this.pattern[p + 1]];
    if (closing === undefined) throw new LuaError('unbalanced pattern');
    if (this.subject[start] !== opening) return undefined;
    let depth = 1;
    for (let s = start + 1; s < this.subject.length; s++) {
      if (this.subject[s] === closing) {
        if (--depth === 0) return s + 1;
      } else if (this.subject[s] === opening) depth++;
    }
    return undefined;
  }

  private repeated(s: number, digit: string): number | undefined {
    const capture = this.captures[Number(digit) - 1];
    if (capture === undefined || capture.length === OPEN) {
      throw new LuaError('invalid capture index');
    }
    const text = this.subject.slice(capture.start, capture.start + capture.length);
    return this.subject.startsWith(text, s) ? s + text.length : undefined;
  }

  /** Where the class that begins there ends. */
  private classEnd(start: number): number {
    const { pattern } = this;
    let p = start;
    const letter = pattern[p++];
    if (letter === '%') {
      if (p >= pattern.length) throw new LuaError("malformed pattern (ends with '%')");
      return p + 1;
    }
    if (letter !== '[') return p;
    if (pattern[p] === '^') p++;
    do {
      if (p >= pattern.length) throw new LuaError("malformed pattern (missing ']')");
      if (pattern[p++] === '%') p++;
    } while (pattern[p] !== ']');
    return p + 1;
  }

  private fits(s: number, p: number, end: number): boolean {
    if (s >= this.subject.length) return false;
    const code = this.subject.charCodeAt(s);
    const letter = this.pattern[p];
    if (letter === '.') return true;
    if (letter === '%') return inClass(code, this.pattern[p + 1]);
    if (letter === '[') return this.inSet(code, p, end - 1);
    return letter.charCodeAt(0) === code;
  }

  /** Whether a byte is in the set between two brackets. */
  private inSet(code: number, start: number, end: number): boolean {
    const { pattern } = this;
    let p = start + 1;
    const positive = pattern[p] !== '^';
    if (!positive) p++;
    for (; p < end; p++) {
      if (pattern[p] === '%') {
        if (inClass(code, pattern[++p])) return positive;
      } else if (pattern[p + 1] === '-' && p + 2 < end) {
        if (pattern.charCodeAt(p) <= code && code <= pattern.charCodeAt(p + 2)) return positive;
        p += 2;
      } else if (pattern.charCodeAt(p) === code) return positive;
    }
    return !positive;
  }
}
