/**
 * What a type of SQL is here: its names and OID, how its values are written and read as text and as
 * bytes, and how they compare. NULL is `null` everywhere and never reaches these functions.
 */

import { invalidText } from '../errors.js';

/** As in pg_type.typcategory; X is the type of a literal that is not known yet. */
export type Category = 'A' | 'B' | 'D' | 'E' | 'I' | 'N' | 'P' | 'S' | 'T' | 'U' | 'X';

export interface Type {
  readonly oid: number;
  /** As in pg_type: `int4`. */
  readonly name: string;
  /** As error messages and format_type have it: `integer`. */
  readonly sqlName: string;
  readonly category: Category;
  readonly preferred: boolean;
  /** Bytes of its values, -1 when that varies. */
  readonly length: number;
  /** The type of the elements of an array. */
  readonly element?: Type;
  array?: Type;
  /** The labels of an enum, in order. */
  labels?: string[];
  parse(text: string): any;
  format(value: any): string;
  receive?(bytes: Buffer): any;
  send?(value: any): Buffer;
  compare(a: any, b: any): number;
  /** Equal for equal values, and for these only. */
  key(value: any): string;
}

/** A row as a value. */
export class Row {
  constructor(
    readonly types: readonly Type[],
    readonly names: readonly string[],
    readonly values: readonly any[],
  ) {}
}

const quoted = /^$|[{}",\\\s]|^null$/i;

export function formatArray(type: Type, value: readonly any[]): string {
  const items = value.map((item) => {
    if (item === null) return 'NULL';
    if (Array.isArray(item)) return formatArray(type, item);
    const text = type.format(item);
    return quoted.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
  });
  return `{${items.join(',')}}`;
}

export function parseArray(element: Type, text: string): any[] {
  let at = 0;
  const malformed = () =>
    Object.assign(invalidText('array', text), { message: `malformed array literal: "${text}"` });
  const space = () => {
    while (/\s/.test(text[at] ?? '')) at += 1;
  };
  const quotedItem = () => {
    let item = '';
    for (at += 1; text[at] !== '"'; at += 1) {
      if (at >= text.length) throw malformed();
      if (text[at] === '\\') at += 1;
      item += text[at];
    }
    at += 1;
    return element.parse(item);
  };
  const list = (): any[] => {
    if (text[at] !== '{') throw malformed();
    at += 1;
    const items: any[] = [];
    space();
    if (text[at] === '}') {
      at += 1;
      return items;
    }
    for (;;) {
      space();
      if (text[at] === '{') items.push(list());
      else if (text[at] === '"') items.push(quotedItem());
      else {
        const word = /^[^,{}"]*/.exec(text.slice(at))![0];
        at += word.length;
        if (word.trim() === '') throw malformed();
        items.push(/^\s*null\s*$/i.test(word) ? null : element.parse(word.trim()));
      }
      space();
      at += 1;
      if (text[at - 1] === '}') return items;
      if (text[at - 1] !== ',') throw malformed();
    }
  };
  space();
  const result = list();
  space();
  if (at !== text.length) throw malformed();
  return result;
}

export function compareArrays(type: Type, a: readonly any[], b: readonly any[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    if (a[i] === null || b[i] === null) {
      if (a[i] !== b[i]) return a[i] === null ? 1 : -1;
      continue;
    }
    const order = Array.isArray(a[i]) ? compareArrays(type, a[i], b[i]) : type.compare(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Binary form: dimensions, whether there are nulls, the element's OID, bounds, then elements. */
export function sendArray(element: Type, value: readonly any[]): Buffer {
  const sizes: number[] = [];
  for (let at: any = value; Array.isArray(at) && at.length > 0; at = at[0]) sizes.push(at.length);
  const flat = value.flat(Infinity);
  const head = Buffer.alloc(12 + 8 * sizes.length);
  head.writeInt32BE(sizes.length, 0);
  head.writeInt32BE(flat.includes(null) ? 1 : 0, 4);
  head.writeInt32BE(element.oid, 8);
  sizes.forEach((size, i) => {
    head.writeInt32BE(size, 12 + 8 * i);
    head.writeInt32BE(1, 16 + 8 * i);
  });
  const items = flat.flatMap((item) => {
    const bytes = item === null ? undefined : element.send!(item);
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes === undefined ? -1 : bytes.length);
    return bytes === undefined ? [length] : [length, bytes];
  });
  return Buffer.concat([head, ...items]);
}

export function receiveArray(element: Type, bytes: Buffer): any[] {
  const dimensions = bytes.readInt32BE(0);
  const sizes = Array.from({ length: dimensions }, (_, i) => bytes.readInt32BE(12 + 8 * i));
  let at = 12 + 8 * dimensions;
  const read = (depth: number): any => {
    if (depth < sizes.length) return Array.from({ length: sizes[depth]! }, () => read(depth + 1));
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return element.receive!(bytes.subarray(at - length, at));
  };
  return dimensions === 0 ? [] : read(0);
}

/** The array type of a type. */
export function arrayOf(element: Type, oid: number): Type {
  const array: Type = {
    oid,
    name: `_${element.name}`,
    sqlName: `${element.sqlName}[]`,
    category: 'A',
    preferred: false,
    length: -1,
    element,
    parse: (text) => parseArray(element, text),
    format: (value) => formatArray(element, value),
    compare: (a, b) => compareArrays(element, a, b),
    key: (value) => formatKeys(element, value),
    ...(element.send && { send: (value: any) => sendArray(element, value) }),
    ...(element.receive && { receive: (bytes: Buffer) => receiveArray(element, bytes) }),
  };
  element.array = array;
  return array;
}

function formatKeys(element: Type, value: readonly any[]): string {
  const keys = value.map((item) => {
    if (item === null) return 'n';
    return JSON.stringify(Array.isArray(item) ? formatKeys(element, item) : element.key(item));
  });
  return `[${keys.join(',')}]`;
}
