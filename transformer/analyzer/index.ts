/**
 * The analyzer: what a source file contains that detsim cares about, as data.
 *
 * One classification serves the transformer and whatever reports to people. It needs syntax only:
 * names are resolved within the file, so that a file means the same with and without a program.
 */

import type ts from 'typescript';
import type { Analysis } from './edits.js';
import type { TypeScript } from './sites.js';
import { Walker } from './walk.js';

export type { Analysis, Edit, InjectedNames, Problem, ResultEdit } from './edits.js';
export type { Site, SiteKind, TypeScript } from './sites.js';

/**
 * Analyzes one source file.
 * @param ts the TypeScript module that made the file
 * @param stub whether what the file's functions return stands in for I/O
 */
export function analyze(ts: TypeScript, file: ts.SourceFile, stub: boolean): Analysis {
  return new Walker(ts, file, stub).analyze();
}
