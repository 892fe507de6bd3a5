/**
 * The library `string`.
 */

import type { Arguments, Library } from './arguments.js';
import { formatText } from './format.js';
import { Matcher } from './patterns.js';
import type { Runtime } from './runtime.js';
import { LuaTable } from './table.js';
import { LuaError, type LuaValue, toText, truthy, typeOf } from './value.js';

const SPECIALS = /[\^$*+?.([%-]/;

/** A position from the start, for one that may count from the end. */
const fromStart = (at: number, length: number): number =>
  at < 0 ? Math.max(0, length + at + 1) : at;

function find(args: Arguments, findOnly: boolean): LuaValue | readonly LuaValue[] {
  const [subject, pattern] = [args.text(0), args.text(1)];
  const start = Math.max(0, fromStart(args.integer(2, 1), subject.length) - 1);
  if (start > subject.length) return undefined;
  if (findOnly && (truthy(args.values[3]) || !SPECIALS.test(pattern))) {
    const at = subject.indexOf(pattern, start);
    return at < 0 ? undefined : [at + 1, at + pattern.length];
  }
  const anchored = pattern.startsWith('^');
  const matcher = new Matcher(subject, pattern);
  for (let s = start; s <= subject.length; s++) {
    const end = matcher.match(s, anchored ? 1 : 0);
    if (end !== undefined) {
      const captures = matcher.captured(s, end, !findOnly);
      return findOnly ? [s + 1, end, ...captures] : captures;
    }
    if (anchored) break;
  }
  return undefined;
}

function globalMatch(args: Arguments): LuaValue {
  const [subject, pattern] = [args.text(0), args.text(1)];
  const matcher = new Matcher(subject, pattern);
  let position = 0;
  return () => {
    for (let s = position; s <= subject.length; s++) {
      const end = matcher.match(s, 0);
      if (end === undefined) continue;
      position = end === s ? end + 1 : end;
      return matcher.captured(s, end, true);
    }
    position = subject.length + 1;
    return [undefined];
  };
}

/** What a match is replaced by; nil and false leave it. */
function replacer(
  runtime: Runtime,
  args: Arguments,
): (whole: string, captures: readonly (string | number)[]) => LuaValue {
  const by = args.values[2];
  if (by instanceof LuaTable) return (_, [first]) => runtime.index(by, first, runtime.line);
  if (typeof by === 'function') return (_, captures) => by(...captures)[0];
  const text = toText(by);
  if (text === undefined) throw args.bad(2, `string/function/table expected`);
  return (whole, captures) =>
    text.replace(/%(.?)/gs, (_all, letter: string) => {
      if (letter === '0') return whole;
      if (!/\d/.test(letter)) return letter;
      const capture = captures[Number(letter) - 1];
      if (capture === undefined) throw runtime.failure('invalid capture index');
      return String(capture);
    });
}

function globalReplace(runtime: Runtime, args: Arguments): readonly LuaValue[] {
  const [subject, pattern] = [args.text(0), args.text(1)];
  const replace = replacer(runtime, args);
  const most = args.integer(3, subject.length + 1);
  const anchored = pattern.startsWith('^');
  const matcher = new Matcher(subject, pattern);
  let out = '';
  let count = 0;
  let s = 0;
  while (count < most) {
    const end = matcher.match(s, anchored ? 1 : 0);
    if (end !== undefined) {
      count++;
      const whole = subject.slice(s, end);
      const value = replace(whole, matcher.captured(s, end, true));
      if (truthy(value) && toText(value) === undefined) {
        throw runtime.failure(`invalid replacement value (a ${typeOf(value)})`);
      }
      out += truthy(value) ? toText(value) : whole;
    }
    if (end !== undefined && end > s) s = end;
    else if (s < subject.length) out += subject[s++];
    else break;
    if (anchored) break;
  }
  return [out + subject.slice(s), count];
}

/** Errors in patterns get the place where they were met. */
const placed =
  (runtime: Runtime, run: Library[string]): Library[string] =>
  (args) => {
    try {
      return run(args);
    } catch (error) {
      if (!(error instanceof LuaError) || typeof error.value !== 'string') throw error;
      if (error.value.startsWith(`${runtime.chunk}:`)) throw error;
      throw runtime.failure(error.value);
    }
  };

export function stringLibrary(runtime: Runtime): Library {
  return {
    byte: (args) => {
      const text = args.text(0);
      const from = fromStart(args.integer(1, 1), text.length);
      const to = fromStart(args.integer(2, from), text.length);
      return [...text.slice(Math.max(0, from - 1), to)].map((letter) => letter.charCodeAt(0));
    },
    char: (args) =>
      args.values
        .map((_, i) => {
          const code = args.integer(i);
          if (code < 0 || code > 255) throw args.bad(i, 'invalid value');
          return String.fromCharCode(code);
        })
        .join(''),
    find: placed(runtime, (args) => find(args, true)),
    format: (args) => formatText(runtime, args),
    gmatch: placed(runtime, globalMatch),
    gsub: placed(runtime, (args) => globalReplace(runtime, args)),
    len: (args) => args.text(0).length,
    lower: (args) => args.text(0).replace(/[A-Z]+/g, (word) => word.toLowerCase()),
    match: placed(runtime, (args) => find(args, false)),
    rep: (args) => args.text(0).repeat(Math.max(0, args.integer(1))),
    reverse: (args) => [...args.text(0)].reverse().join(''),
    sub: (args) => {
      const text = args.text(0);
      const from = Math.max(1, fromStart(args.integer(1), text.length));
      const to = fromStart(args.integer(2, -1), text.length);
      return text.slice(from - 1, Math.max(from - 1, to));
    },
    upper: (args) => args.text(0).replace(/[a-z]+/g, (word) => word.toUpperCase()),
  };
}
