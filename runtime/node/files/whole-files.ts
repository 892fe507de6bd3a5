/**
 * `fs.readFile` and `fs.writeFile` of Node 26: they make jobs of a class that they have taken from
 * the binding before it could be replaced, and a job does not tell what it was made with. So what
 * they are called with is kept until the job is begun, which is within the call; by then Node has
 * checked it.
 */

import fs from 'node:fs';
import { patch } from '../facade.js';

const { apply } = Reflect;

type AnyFunction = (...args: any[]) => any;

interface Asked {
  readonly options: unknown;
  readonly data?: unknown;
}

interface FileOptions {
  readonly flag?: string | number;
  readonly mode?: string | number;
  readonly encoding?: BufferEncoding;
}

/** Larger files are handed back open: `kReadFileBufferLength` of `lib/fs.js`. */
const MOST_AT_ONCE = 512 * 1024;

const { O_RDONLY, O_RDWR, O_WRONLY, O_SYNC, O_TRUNC, O_CREAT, O_APPEND, O_EXCL } = fs.constants;
const HOW: Record<string, number> = {
  r: O_RDONLY,
  w: O_TRUNC | O_CREAT | O_WRONLY,
  a: O_APPEND | O_CREAT | O_WRONLY,
};
const MORE: Record<string, number> = { s: O_SYNC, x: O_EXCL, '+': 0 };

let asked: Asked | undefined;

export function installWholeFiles(): void {
  patch(fs, 'readFile', 'fs.readFile', (real) => keeping(real, ([, options]) => ({ options })));
  patch(fs, 'writeFile', 'fs.writeFile', (real) =>
    keeping(real, ([, data, options]) => ({ options, data })),
  );
}

function keeping(real: AnyFunction, ask: (args: unknown[]) => Asked): AnyFunction {
  return function facade(this: unknown, ...args: unknown[]): unknown {
    const before = asked;
    asked = ask(args);
    try {
      return apply(real, this, args) as unknown;
    } finally {
      asked = before;
    }
  };
}

/** What the job that is begun now was made with, after its path; undefined when it is not known. */
export function madeWith(): unknown[] | undefined {
  if (asked === undefined) return undefined;
  const { options, data } = asked;
  const { flag, mode, encoding } = optionsOf(options);
  const writes = 'data' in asked;
  const flags = numberOf(flag ?? (writes ? 'w' : 'r'));
  if (!writes) return [flags, MOST_AT_ONCE];
  const bytes = typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : data;
  return [flags, typeof mode === 'string' ? Number.parseInt(mode, 8) : (mode ?? 0o666), bytes];
}

function optionsOf(options: unknown): FileOptions {
  if (typeof options === 'string') return { encoding: options as BufferEncoding };
  return typeof options === 'object' && options !== null ? options : {};
}

/** The number of flags such as `wx+`, as `stringToFlags` of Node reads them. */
function numberOf(flag: string | number): number {
  if (typeof flag === 'number') return flag;
  const letters = [...flag];
  const how = letters.find((letter) => letter in HOW)!;
  const access = letters.includes('+') ? (HOW[how] & ~O_WRONLY) | O_RDWR : HOW[how];
  return letters.reduce((flags, letter) => flags | (MORE[letter] ?? 0), access);
}
