/**
 * Reads requests from the bytes of a connection, in whatever pieces they come.
 *
 * A request is an array of bulk strings, or, for people with telnet, a line of words.
 */

import { ErrorReply } from './reply.js';

const LINE_FEED = 10;
const ASTERISK = 42;
const DOLLAR = 36;
const ITEMS_MAX = 1024 * 1024;
const BULK_BYTES_MAX = 512 * 1024 * 1024;
const INLINE_BYTES_MAX = 64 * 1024;

const broken = (what: string): never => {
  throw new ErrorReply(`ERR Protocol error: ${what}`);
};

export class RequestReader {
  private bytes: Buffer = Buffer.alloc(0);
  private position = 0;
  /** The words of the request that is being read. */
  private words: string[] = [];
  /** How many words are still to come. */
  private missing = 0;
  /** The length of the word that comes next, or -1 while that is to be read. */
  private length = -1;

  add(chunk: Buffer): void {
    const rest = this.bytes.subarray(this.position);
    this.bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.position = 0;
  }

  /**
   * The next request, or undefined as long as it is not complete. May be empty.
   * @throws {ErrorReply} when the bytes are no request; the connection cannot go on then
   */
  next(): string[] | undefined {
    if (this.missing === 0) {
      if (this.position >= this.bytes.length) return undefined;
      if (this.bytes[this.position] !== ASTERISK) return this.inline();
      const line = this.line();
      if (line === undefined) return undefined;
      const items = count(line.slice(1), 'invalid multibulk length', -1, ITEMS_MAX);
      if (items <= 0) return [];
      this.missing = items;
      this.words = [];
    }
    while (this.missing > 0) {
      const word = this.bulk();
      if (word === undefined) return undefined;
      this.words.push(word);
      this.missing--;
    }
    return this.words;
  }

  private bulk(): string | undefined {
    if (this.length === -1) {
      if (this.position >= this.bytes.length) return undefined;
      const first = this.bytes[this.position];
      if (first !== DOLLAR) broken(`expected '$', got '${String.fromCharCode(first)}'`);
      const line = this.line();
      if (line === undefined) return undefined;
      this.length = count(line.slice(1), 'invalid bulk length', 0, BULK_BYTES_MAX);
    }
    const end = this.position + this.length;
    if (this.bytes.length < end + 2) return undefined;
    const word = this.bytes.toString('latin1', this.position, end);
    this.position = end + 2;
    this.length = -1;
    return word;
  }

  /** The text up to the next end of line, which is left behind. */
  private line(): string | undefined {
    const end = this.bytes.indexOf(LINE_FEED, this.position);
    if (end < 0) {
      if (this.bytes.length - this.position > INLINE_BYTES_MAX) broken('too big inline request');
      return undefined;
    }
    const text = this.bytes.toString('latin1', this.position, end).replace(/\r$/, '');
    this.position = end + 1;
    return text;
  }

  private inline(): string[] | undefined {
    const line = this.line();
    return line === undefined ? undefined : splitWords(line);
  }
}

function count(text: string, what: string, least: number, most: number): number {
  const value = /^-?\d+$/.test(text) ? Number(text) : NaN;
  return value >= least && value <= most ? value : broken(what);
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };

/** Words of a line, some in quotes. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|([^\s"']+))(?=\s|$)/y;
  while (/\S/.test(line.slice(pattern.lastIndex))) {
    const [, quoted, plain, bare] = pattern.exec(line) ?? broken('unbalanced quotes in request');
    words.push(quoted === undefined ? (plain?.replace(/\\'/g, "'") ?? bare) : unescape(quoted));
  }
  return words;
}

function unescape(text: string): string {
  return text.replace(/\\(?:x([0-9a-f]{2})|([^]))/gi, (_, hex?: string, letter?: string) =>
    hex === undefined ? (ESCAPES[letter!] ?? letter!) : String.fromCharCode(parseInt(hex, 16)),
  );
}
