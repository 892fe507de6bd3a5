/**
 * Splits the source of a script into tokens.
 */

import { LuaError, numberOf } from './value.js';

export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'symbol' | 'end';
  /** The name or symbol, or the contents of a string. Keywords are symbols. */
  readonly text: string;
  readonly line: number;
}

const KEYWORDS = new Set([
  ...['and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'if', 'in'],
  ...['local', 'nil', 'not', 'or', 'repeat', 'return', 'then', 'true', 'until', 'while'],
]);
const SYMBOLS = /\.\.\.|\.\.|==|~=|<=|>=|[+\-*/%^#<>=(){}[\];:,.]/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

export class Lexer {
  private position = 0;
  private line = 1;

  constructor(
    private readonly source: string,
    private readonly chunk: string,
  ) {
    // A first line that begins with # is for the shell.
    if (source.startsWith('#')) this.position = Math.max(0, source.indexOf('\n'));
  }

  tokens(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      const token = this.next();
      tokens.push(token);
      if (token.kind === 'end') return tokens;
    }
  }

  private next(): Token {
    this.skip();
    const { source, line } = this;
    if (this.position >= source.length) return { kind: 'end', text: '<eof>', line };
    const letter = source[this.position];
    if (letter === '"' || letter === "'")
      return { kind: 'string', text: this.quoted(letter), line };
    const long = this.longBracket();
    if (long !== undefined) return { kind: 'string', text: long, line };
    const name = this.take(NAME);
    if (name !== undefined)
      return { kind: KEYWORDS.has(name) ? 'symbol' : 'name', text: name, line };
    const number = this.take(NUMBER);
    if (number !== undefined) {
      if (numberOf(number) === undefined || /[\w.]/.test(source[this.position] ?? '')) {
        this.fail(`malformed number near '${number}${source[this.position] ?? ''}'`);
      }
      return { kind: 'number', text: number, line };
    }
    const symbol = this.take(SYMBOLS);
    if (symbol !== undefined) return { kind: 'symbol', text: symbol, line };
    return this.fail(`unexpected symbol near '${letter}'`);
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  /** Skips blanks and comments. */
  private skip(): void {
    for (;;) {
      const blanks = this.take(/\s+/y);
      if (blanks !== undefined) this.line += blanks.split('\n').length - 1;
      if (!this.source.startsWith('--', this.position)) return;
      this.position += 2;
      if (this.longBracket() === undefined) this.take(/[^\n]*/y);
    }
  }

  /** The text in [[...]] or [=[...]=], if there is one. */
  private longBracket(): string | undefined {
    const opening = this.take(/\[=*\[/y);
    if (opening === undefined) return undefined;
    const closing = opening.replaceAll('[', ']');
    const end = this.source.indexOf(closing, this.position);
    if (end < 0) return this.fail("unfinished long string near '<eof>'");
    const text = this.source.slice(this.position, end);
    this.position = end + closing.length;
    this.line += text.split('\n').length - 1;
    return text.replace(/\r\n?/g, '\n').replace(/^\n/, '');
  }

  private quoted(quote: string): string {
    const { source } = this;
    let text = '';
    this.position++;
    for (;;) {
      const letter = source[this.position++];
      if (letter === quote) return text;
      if (letter === undefined) return this.fail("unfinished string near '<eof>'");
      if (letter === '\n') return this.fail(`unfinished string near '${quote}${text}'`);
      if (letter !== '\\') text += letter;
      else text += this.escape();
    }
  }

  private escape(): string {
    const digits = this.take(/\d{1,3}/y);
    if (digits !== undefined) {
      return Number(digits) > 255
        ? this.fail("escape sequence too large near '\\'")
        : String.fromCharCode(Number(digits));
    }
    const letter = this.source[this.position++];
    if (letter === '\n') this.line++;
    return ESCAPES[letter] ?? letter ?? this.fail("unfinished string near '<eof>'");
  }

  private fail(message: string): never {
    throw new LuaError(`${this.chunk}:${this.line}: ${message}`);
  }
}
