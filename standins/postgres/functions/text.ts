/** Functions on text, bytes and arrays of text. */

import { createHash } from 'node:crypto';
import { SqlError, unsupported } from '../errors.js';
import * as t from '../types/types.js';
import { fn, runFn } from './overloads.js';
import { regexOf } from './patterns.js';
import { outputText } from './output.js';

const { TEXT, INT4, BOOL, BYTEA } = t;
const chars = (text: string) => [...text];

fn('lower', [TEXT], TEXT, (s: string) => s.toLowerCase());
fn('upper', [TEXT], TEXT, (s: string) => s.toUpperCase());
fn('initcap', [TEXT], TEXT, (s: string) =>
  s.toLowerCase().replace(/[\p{L}\p{N}]+/gu, (word) => word[0]!.toUpperCase() + word.slice(1)),
);
fn('length char_length character_length', [TEXT], INT4, (s: string) => chars(s).length);
fn('length octet_length', [BYTEA], INT4, (b: Buffer) => b.length);
fn('octet_length', [TEXT], INT4, (s: string) => Buffer.byteLength(s));
fn('bit_length', [TEXT], INT4, (s: string) => Buffer.byteLength(s) * 8);

function substring(text: string, start: number, length?: number): string {
  if (length !== undefined && length < 0)
    throw new SqlError('22011', 'negative substring length not allowed');
  const end = length === undefined ? undefined : Math.max(0, start - 1 + length);
  return chars(text)
    .slice(Math.max(0, start - 1), end)
    .join('');
}
fn('substr substring', [TEXT, INT4], TEXT, substring);
fn('substr substring', [TEXT, INT4, INT4], TEXT, substring);
fn('substring', [TEXT, TEXT], TEXT, (s: string, pattern: string) => {
  const match = regexOf(pattern).exec(s);
  return match === null ? null : (match[1] ?? match[0]);
});
fn('left', [TEXT, INT4], TEXT, (s: string, n: number) => chars(s).slice(0, n).join(''));
fn('right', [TEXT, INT4], TEXT, (s: string, n: number) => {
  const list = chars(s);
  return (n >= 0 ? list.slice(Math.max(0, list.length - n)) : list.slice(-n)).join('');
});
fn('position', [TEXT, TEXT], INT4, (s: string, part: string) => strpos(s, part));
fn('strpos', [TEXT, TEXT], INT4, strpos);
function strpos(s: string, part: string): number {
  const at = s.indexOf(part);
  return at < 0 ? 0 : chars(s.slice(0, at)).length + 1;
}
const trim = (s: string, set: string, from: boolean, to: boolean) => {
  const list = chars(s);
  let [start, end] = [0, list.length];
  while (from && start < end && set.includes(list[start]!)) start += 1;
  while (to && end > start && set.includes(list[end - 1]!)) end -= 1;
  return list.slice(start, end).join('');
};
fn('btrim', [TEXT, TEXT], TEXT, (s, set = ' ') => trim(s, set, true, true), { minimum: 1 });
fn('ltrim', [TEXT, TEXT], TEXT, (s, set = ' ') => trim(s, set, true, false), { minimum: 1 });
fn('rtrim', [TEXT, TEXT], TEXT, (s, set = ' ') => trim(s, set, false, true), { minimum: 1 });
fn('replace', [TEXT, TEXT, TEXT], TEXT, (s: string, from: string, to: string) =>
  from === '' ? s : s.split(from).join(to),
);
fn('translate', [TEXT, TEXT, TEXT], TEXT, (s: string, from: string, to: string) =>
  chars(s)
    .map((c) => (from.includes(c) ? (to[from.indexOf(c)] ?? '') : c))
    .join(''),
);
fn('split_part', [TEXT, TEXT, INT4], TEXT, (s: string, separator: string, n: number) => {
  if (n === 0) throw new SqlError('22023', 'field position must not be zero');
  const parts = separator === '' ? [s] : s.split(separator);
  return parts.at(n > 0 ? n - 1 : n) ?? '';
});
const pad = (s: string, n: number, fill: string) => {
  const missing = n - chars(s).length;
  const list = chars(fill);
  return list.length === 0
    ? ''
    : Array.from({ length: missing }, (_, i) => list[i % list.length]).join('');
};
fn(
  'lpad',
  [TEXT, INT4, TEXT],
  TEXT,
  (s: string, n: number, fill = ' ') =>
    chars(s).length >= n ? chars(s).slice(0, Math.max(0, n)).join('') : pad(s, n, fill) + s,
  { minimum: 2 },
);
fn(
  'rpad',
  [TEXT, INT4, TEXT],
  TEXT,
  (s: string, n: number, fill = ' ') =>
    chars(s).length >= n ? chars(s).slice(0, Math.max(0, n)).join('') : s + pad(s, n, fill),
  { minimum: 2 },
);
fn('repeat', [TEXT, INT4], TEXT, (s: string, n: number) => s.repeat(Math.max(0, n)));
fn('reverse', [TEXT], TEXT, (s: string) => chars(s).reverse().join(''));
fn('starts_with', [TEXT, TEXT], BOOL, (s: string, part: string) => s.startsWith(part));
fn('ascii', [TEXT], INT4, (s: string) => s.codePointAt(0) ?? 0);
fn('chr', [INT4], TEXT, (n: number) => String.fromCodePoint(n));
fn('to_hex', [INT4], TEXT, (n: number) => (n >>> 0).toString(16));
fn('to_hex', [t.INT8], TEXT, (n: bigint) => BigInt.asUintN(64, n).toString(16));
fn('md5', [TEXT], TEXT, (s: string) => createHash('md5').update(s).digest('hex'));
fn('sha256', [BYTEA], BYTEA, (b: Buffer) => createHash('sha256').update(b).digest());
fn('encode', [BYTEA, TEXT], TEXT, (b: Buffer, format: string) => {
  if (format === 'hex' || format === 'base64') return b.toString(format);
  throw unsupported(`encode with format "${format}"`);
});
fn('decode', [TEXT, TEXT], BYTEA, (s: string, format: string) => {
  if (format === 'hex' || format === 'base64') return Buffer.from(s, format);
  throw unsupported(`decode with format "${format}"`);
});
fn('quote_ident', [TEXT], TEXT, quoteIdent);
export function quoteIdent(s: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(s) ? s : `"${s.replace(/"/g, '""')}"`;
}
const quoteLiteral = (s: string) =>
  `${s.includes('\\') ? ' E' : ''}'${s.replace(/'/g, "''").replace(/\\/g, '\\\\')}'`;
fn('quote_literal', [TEXT], TEXT, quoteLiteral);
fn('quote_nullable', [TEXT], TEXT, (s) => (s === null ? 'NULL' : quoteLiteral(s)), { nulls: true });
runFn(
  'concat',
  ['any'],
  TEXT,
  (args, run, types) =>
    args.map((arg, i) => (arg === null ? '' : outputText(types[i]!, arg, run))).join(''),
  { variadic: true, nulls: true },
);
runFn(
  'concat_ws',
  [TEXT, 'any'],
  TEXT,
  (args, run, types) => {
    if (args[0] === null) return null;
    const parts = args.map((arg, i) => (arg === null ? null : outputText(types[i]!, arg, run)));
    return parts
      .slice(1)
      .filter((part) => part !== null)
      .join(parts[0]!);
  },
  { variadic: true, nulls: true },
);
runFn(
  'format',
  [TEXT, 'any'],
  TEXT,
  (args, run, types) => {
    if (args[0] === null) return null;
    let next = 1;
    return (args[0] as string).replace(
      /%(?:(\d+)\$)?([sIL%])/g,
      (_, at: string | undefined, kind: string) => {
        if (kind === '%') return '%';
        const i = at === undefined ? next++ : Number(at);
        if (at !== undefined) next = i + 1;
        if (i >= args.length) throw new SqlError('22023', 'too few arguments for format()');
        const text = args[i] === null ? null : outputText(types[i]!, args[i], run);
        if (kind === 's') return text ?? '';
        if (kind === 'L') return text === null ? 'NULL' : quoteLiteral(text);
        if (text === null)
          throw new SqlError('22004', 'null values cannot be formatted as an SQL identifier');
        return quoteIdent(text);
      },
    );
  },
  { variadic: true, nulls: true, minimum: 1 },
);
const replacement = (text: string) =>
  text
    .replace(/\$/g, '$$$$')
    .replace(/\\(\d|&|\\)/g, (_, c: string) => (c === '\\' ? '\\' : c === '&' ? '$&' : `$${c}`));
fn(
  'regexp_replace',
  [TEXT, TEXT, TEXT, TEXT],
  TEXT,
  (s: string, pattern: string, to: string, flags = '') =>
    s.replace(regexOf(pattern, flags), replacement(to)),
  { minimum: 3 },
);
fn(
  'regexp_match',
  [TEXT, TEXT, TEXT],
  TEXT.array!,
  (s: string, pattern: string, flags = '') => {
    const match = regexOf(pattern, flags.replace('g', '')).exec(s);
    if (match === null) return null;
    return match.length === 1 ? [match[0]] : match.slice(1).map((part) => part ?? null);
  },
  { minimum: 2 },
);
fn(
  'regexp_matches',
  [TEXT, TEXT, TEXT],
  TEXT.array!,
  (s: string, pattern: string, flags = '') => {
    const all = [...s.matchAll(regexOf(pattern, `${flags.replace('g', '')}g`))];
    const found = flags.includes('g') ? all : all.slice(0, 1);
    return found.map((m) => (m.length === 1 ? [m[0]] : m.slice(1).map((part) => part ?? null)));
  },
  { minimum: 2, set: true },
);
fn('regexp_split_to_array', [TEXT, TEXT], TEXT.array!, (s: string, pattern: string) =>
  s.split(regexOf(pattern)),
);
fn(
  'regexp_split_to_table',
  [TEXT, TEXT],
  TEXT,
  (s: string, pattern: string) => s.split(regexOf(pattern)),
  { set: true },
);
const split = (s: string, separator: string | null, none?: string | null) =>
  (s === '' ? [] : separator === null ? chars(s) : separator === '' ? [s] : s.split(separator)).map(
    (part) => (part === none ? null : part),
  );
fn(
  'string_to_array',
  [TEXT, TEXT, TEXT],
  TEXT.array!,
  (s, sep, none) => (s === null ? null : split(s, sep, none)),
  { minimum: 2, nulls: true },
);
fn('string_to_table', [TEXT, TEXT], TEXT, (s, sep) => split(s, sep), { set: true });
runFn(
  'array_to_string',
  ['anyarray', TEXT, TEXT],
  TEXT,
  ([list, separator, none], run, types) => {
    if (list === null || separator === null) return null;
    const { element } = types[0]!;
    return (list as any[])
      .flat(Infinity)
      .map((item) => (item === null ? (none ?? null) : outputText(element!, item, run)))
      .filter((item) => item !== null)
      .join(separator);
  },
  { minimum: 2, nulls: true },
);
fn('convert_from', [BYTEA, t.NAME], TEXT, (b: Buffer) => b.toString('utf8'));
fn('convert_to', [TEXT, t.NAME], BYTEA, (s: string) => Buffer.from(s));
fn('like_escape', [TEXT, TEXT], TEXT, (pattern: string, escape: string) => {
  if (escape === '\\') return pattern;
  return chars(pattern)
    .map((c, i, all) => {
      if (c === '\\') return '\\\\';
      return c === escape && all[i - 1] !== escape ? '\\' : c;
    })
    .join('');
});
