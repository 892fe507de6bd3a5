/**
 * The baseline of an old project: diagnostics that are known, so that only new ones are reported.
 *
 * A diagnostic is known by its file, its code and the text of the line it begins on, with a count;
 * so it stays known when lines move, and is new when its line changes.
 */

import path from 'node:path';
import { UserError } from '../errors.js';
import { readTextIfAny, writeAtomically } from '../overlay/disk.js';
import type { CheckDiagnostic } from './diagnostic.js';

interface BaselineFile {
  readonly version: 1;
  /** File → "code text of the line" → how often. */
  readonly known: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface Compared {
  /** What the baseline does not hold. */
  readonly fresh: CheckDiagnostic[];
  readonly known: number;
  readonly gone: number;
}

/** @throws UserError when the file is missing or malformed */
export function compareWithBaseline(
  file: string,
  diagnostics: readonly CheckDiagnostic[],
): Compared {
  const left = new Map<string, number>();
  for (const [name, entries] of Object.entries(readBaseline(file).known)) {
    for (const [key, count] of Object.entries(entries)) left.set(`${name}\n${key}`, count);
  }
  const fresh = diagnostics.filter((one) => {
    const key = `${one.file}\n${keyOf(one)}`;
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
  const gone = [...left.values()].reduce((sum, count) => sum + count, 0);
  return { fresh, known: diagnostics.length - fresh.length, gone };
}

export function writeBaseline(file: string, diagnostics: readonly CheckDiagnostic[]): void {
  const known: Record<string, Record<string, number>> = {};
  for (const one of diagnostics) {
    const entries = (known[one.file] ??= {});
    const key = keyOf(one);
    entries[key] = (entries[key] ?? 0) + 1;
  }
  for (const [name, entries] of Object.entries(known)) {
    known[name] = Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  const content: BaselineFile = { version: 1, known };
  writeAtomically(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

function keyOf({ rule, lineText }: CheckDiagnostic): string {
  return `${rule.code} ${lineText.replace(/\s+/g, ' ').trim().slice(0, 200)}`;
}

function readBaseline(file: string): BaselineFile {
  const text = readTextIfAny(file);
  const name = path.relative(process.cwd(), file);
  if (text === undefined) {
    throw new UserError(
      `There is no baseline ${name}. Run detsim check --baseline=${name} --update-baseline to ` +
        'write one that holds what is found now.',
    );
  }
  let content: Partial<BaselineFile> | undefined;
  try {
    content = JSON.parse(text) as Partial<BaselineFile>;
  } catch {
    content = undefined;
  }
  if (content?.version !== 1 || typeof content.known !== 'object') {
    throw new UserError(
      `${name} is not a baseline of detsim check. Write it anew with --update-baseline.`,
    );
  }
  return content as BaselineFile;
}
