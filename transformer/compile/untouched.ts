/**
 * The short way for JavaScript in which nothing is to be instrumented, which is most of what
 * packages hold: the text itself, with a source map that leads each token to itself.
 */

import ts from 'typescript';
import { analyze } from '../analyzer/index.js';
import type { CompileInput, CompileResult } from '../compile.js';
import { identityMappings } from './identity-map.js';
import { isAccepted } from './javascript-errors.js';
import { cleanCode } from './output.js';

/** The result for a CommonJS file that can stay as it is; undefined when it cannot. */
export function compileUntouched(input: CompileInput, text: string): CompileResult | undefined {
  const { file, stub } = input;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  if (ts.isExternalModule(source) || /\bimport\s*[.(/]/.test(text)) return undefined;
  if (analyze(ts, source, stub).edits.size > 0) return undefined;
  const code = cleanCode(text);
  // JSX, decorators and the like have to be lowered; the engine does not take them.
  if (!isAccepted(code, false)) return undefined;
  const map = { version: 3, sources: [file], names: [], mappings: identityMappings(code) };
  return {
    code,
    map: JSON.stringify(map),
    imports: [],
    topLevelAwait: false,
    diagnostics: [],
  };
}
