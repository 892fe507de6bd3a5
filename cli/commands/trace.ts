/**
 * `detsim trace`: shows a trace file to people and to other tools.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Trace } from '../../runtime/trace/format.js';
import { UserError } from '../errors.js';
import { findRoot } from '../overlay/project.js';
import { colorsFor, noColors } from '../report/style.js';
import { formatDiff } from '../trace/diff.js';
import { exportChrome } from '../trace/export.js';
import { formatHtml } from '../trace/html.js';
import { loadTrace } from '../trace/load.js';
import { formatStats } from '../trace/stats.js';
import { formatView, type ViewOptions } from '../trace/view.js';
import { TraceWords } from '../trace/words.js';

function wordsFor(trace: Trace): TraceWords {
  return new TraceWords(trace, colorsFor(process.stdout));
}

export function viewCommand(file: string, options: ViewOptions): number {
  process.stdout.write(formatView(wordsFor(loadTrace(file).trace), options));
  return 0;
}

export function statsCommand(file: string): number {
  process.stdout.write(formatStats(wordsFor(loadTrace(file).trace)));
  return 0;
}

export function diffCommand(first: string, second: string, options: { limit?: number }): number {
  const [a, b] = [loadTrace(first).trace, loadTrace(second).trace];
  if (a.test !== b.test) {
    throw new UserError(
      `The traces are of two tests: ${first} of "${a.test}", ${second} of "${b.test}". ` +
        'Give two traces of one test, for instance a failing and a minimized one.',
    );
  }
  process.stdout.write(formatDiff(wordsFor(a), wordsFor(b), options));
  return 0;
}

export function exportCommand(file: string, options: { out?: string }): number {
  write(file, '.chrome.json', exportChrome(wordsFor(loadTrace(file).trace)), options.out);
  return 0;
}

export function htmlCommand(file: string, options: { out?: string }): number {
  const words = new TraceWords(loadTrace(file).trace, noColors);
  write(file, '.html', formatHtml(words, root()), options.out);
  return 0;
}

/** The project, where there is one: the page shows its source lines. */
function root(): string {
  try {
    return findRoot(process.cwd());
  } catch {
    return process.cwd();
  }
}

/** Writes beside the trace, or where it is told to; `-` is standard output. */
function write(file: string, extension: string, text: string, out: string | undefined): void {
  if (out === '-') {
    process.stdout.write(text);
    return;
  }
  const target = out ?? file.replace(/(?:\.json)?$/, extension);
  try {
    writeFileSync(target, text);
  } catch (error) {
    throw new UserError(
      `${target} cannot be written: ${(error as Error).message}. Name another place with --out.`,
    );
  }
  process.stdout.write(`${path.relative(process.cwd(), path.resolve(target))}\n`);
}
