/** Analysis and edits in one step: what every front door of the transformer does with a file. */

import type ts from 'typescript';
import { analyze, type Analysis, type TypeScript } from './analyzer/index.js';
import { applyEdits, type FileHeader } from './apply/index.js';

/** The instrumented file, and what was found in it. */
export interface Instrumented {
  readonly file: ts.SourceFile;
  readonly analysis: Analysis;
}

/**
 * Instruments one source file, in the `before` stage of an emit.
 * @param ts the TypeScript module that made the file and runs the emit
 */
export function instrument(
  ts: TypeScript,
  context: ts.TransformationContext,
  file: ts.SourceFile,
  header: FileHeader,
): Instrumented {
  const analysis = analyze(ts, file, header.stub);
  return { file: applyEdits(ts, context, file, analysis, header), analysis };
}
