/**
 * The library `cjson`: JSON as lua-cjson reads and writes it.
 */

import { libraryOf } from './arguments.js';
import type { Runtime } from './runtime.js';
import { LuaTable } from './table.js';
import { formatGeneral, LuaError, type LuaValue, Opaque, typeOf } from './value.js';

/** null, which a table could not hold otherwise. */
export const NULL = new Opaque('null');

const DEPTH_MAX = 1000;
/** An array may have so many times as many places as values, beyond the first ten. */
const SPARSE_RATIO = 2;
const SPARSE_SAFE = 10;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

function quote(text: string): string {
  const escaped = text.replace(
    /["\\/\x00-\x1f\x7f]/g,
    (letter) => ESCAPES[letter] ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/** The length of a table that is an array, or -1 for an object. */
function arrayLength(table: LuaTable): number {
  let [most, count] = [0, 0];
  for (const [key] of table.pairs()) {
    if (typeof key !== 'number' || key < 1 || !Number.isInteger(key)) return -1;
    most = Math.max(most, key);
    count++;
  }
  if (most > count * SPARSE_RATIO && most > SPARSE_SAFE) {
    throw new LuaError('Cannot serialise table: excessively sparse array');
  }
  return count === 0 ? -1 : most;
}

function numberText(value: number, what: string): string {
  if (!Number.isFinite(value))
    throw new LuaError(`Cannot serialise ${what}: must not be NaN or Inf`);
  return formatGeneral(value);
}

function encode(value: LuaValue, depth = 0): string {
  if (value === undefined || value === NULL) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value, 'number');
  if (typeof value === 'string') return quote(value);
  if (!(value instanceof LuaTable)) {
    throw new LuaError(`Cannot serialise ${typeOf(value)}: type not supported`);
  }
  if (depth >= DEPTH_MAX) {
    throw new LuaError(`Cannot serialise, excessive depth (${depth + 1})`);
  }
  const length = arrayLength(value);
  if (length >= 0) {
    const items = Array.from({ length }, (_, i) => encode(value.get(i + 1), depth + 1));
    return `[${items.join(',')}]`;
  }
  const pairs: string[] = [];
  for (const [key, item] of value.pairs()) {
    if (typeof key !== 'string' && typeof key !== 'number') {
      throw new LuaError('Cannot serialise table: table key must be a number or string');
    }
    const name = typeof key === 'number' ? numberText(key, 'number') : key;
    pairs.push(`${quote(name)}:${encode(item, depth + 1)}`);
  }
  return `{${pairs.join(',')}}`;
}

const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)/iy;
const PLAIN = /[^"\\]*/y;
const UNESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

class Decoder {
  private position = 0;

  constructor(private readonly text: string) {}

  decode(): LuaValue {
    const value = this.value(0);
    this.blanks();
    if (this.position < this.text.length) this.expected('the end');
    return value;
  }

  private value(depth: number): LuaValue {
    this.blanks();
    const { text } = this;
    if (depth > DEPTH_MAX) {
      throw new LuaError(`Found too many nested data structures (${depth})`);
    }
    const letter = text[this.position];
    if (letter === '{') return this.object(depth);
    if (letter === '[') return this.array(depth);
    if (letter === '"') return this.string();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', NULL],
    ] as const) {
      if (!text.startsWith(word, this.position)) continue;
      this.position += word.length;
      return value;
    }
    const number = this.take(NUMBER);
    return number === '' ? this.expected('value') : Number(number);
  }

  private object(depth: number): LuaTable {
    const table = new LuaTable();
    this.position++;
    if (this.symbol('}')) return table;
    do {
      this.blanks();
      if (this.text[this.position] !== '"') this.expected('object key string');
      const key = this.string();
      if (!this.symbol(':')) this.expected('colon');
      table.set(key, this.value(depth + 1));
    } while (this.symbol(','));
    if (!this.symbol('}')) this.expected('comma or object end');
    return table;
  }

  private array(depth: number): LuaTable {
    const table = new LuaTable();
    this.position++;
    if (this.symbol(']')) return table;
    let i = 1;
    do table.set(i++, this.value(depth + 1));
    while (this.symbol(','));
    if (!this.symbol(']')) this.expected('comma or array end');
    return table;
  }

  private string(): string {
    let out = '';
    this.position++;
    for (;;) {
      out += this.take(PLAIN);
      const letter = this.text[this.position++];
      if (letter === '"') return out;
      if (letter === undefined) this.expected('string');
      out += this.escape();
    }
  }

  /** What stands behind a backslash; code points become the bytes of UTF-8. */
  private escape(): string {
    const letter = this.text[this.position++];
    const plain = UNESCAPED[letter];
    if (plain !== undefined) return plain;
    if (letter !== 'u') return this.expected('escape code');
    const pair = this.take(/d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/iy);
    const codes = pair === '' ? [this.take(/[0-9a-f]{4}/iy)] : [pair.slice(0, 4), pair.slice(6)];
    if (codes[0] === '') this.expected('unicode escape code');
    const letters = String.fromCharCode(...codes.map((code) => parseInt(code, 16)));
    return Buffer.from(letters, 'utf8').toString('latin1');
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.position += found.length;
    return found;
  }

  private blanks(): void {
    this.take(BLANKS);
  }

  private symbol(symbol: string): boolean {
    this.blanks();
    const found = this.text[this.position] === symbol;
    if (found) this.position++;
    return found;
  }

  private expected(what: string): never {
    const found = this.position >= this.text.length ? 'T_END' : 'invalid token';
    throw new LuaError(`Expected ${what} but found ${found} at character ${this.position + 1}`);
  }
}

export function cjsonLibrary(runtime: Runtime): LuaTable {
  /** Errors get the place. */
  const placed = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof LuaError) throw runtime.failure(String(error.value));
      throw error;
    }
  };
  const setting = () => [];
  const library = libraryOf(runtime, {
    encode: (args) => placed(() => encode(args.any(0))),
    decode: (args) => placed(() => new Decoder(args.text(0)).decode()),
    encode_sparse_array: setting,
    encode_max_depth: setting,
    decode_max_depth: setting,
    encode_number_precision: setting,
    encode_keep_buffer: setting,
    encode_invalid_numbers: setting,
    decode_invalid_numbers: setting,
    new: () => library,
  });
  library.set('null', NULL);
  return library;
}
