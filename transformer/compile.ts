/**
 * Compiles one file to instrumented CommonJS, without a program and without types: what the overlay
 * and the loader use. The result runs on Node 20 and newer.
 *
 * TypeScript and the project's own JavaScript are compiled as the project's options say; packages
 * keep the meaning that Node gives them.
 */

import path from 'node:path';
import ts from 'typescript';
import type { Analysis } from './analyzer/index.js';
import { inlineConstEnums } from './compile/const-enums.js';
import { compileOptions, keepsNodeMeaning } from './compile/options.js';
import { emittedImports } from './compile/emitted-imports.js';
import { rewriteImportEquals } from './compile/import-equals.js';
import { isAccepted } from './compile/javascript-errors.js';
import { hookModuleDisposal } from './compile/module-disposal.js';
import { rewriteModuleSyntax } from './compile/module-syntax.js';
import { cleanCode, cleanMap } from './compile/output.js';
import { compileUntouched } from './compile/untouched.js';
import { instrument } from './instrument.js';

/** What is to be compiled. */
export interface CompileInput {
  /** Absolute path of the original file. */
  readonly file: string;
  readonly text: string;
  /** Root-relative path with forward slashes; part of every site. */
  readonly path: string;
  /** The project's own options, merged. */
  readonly options: ts.CompilerOptions;
  /** What the file is for Node. */
  readonly format: 'commonjs' | 'module';
  /** Whether the promises that its functions return stand in for I/O. */
  readonly stub: boolean;
}

/** An error in the source, with its place; nothing of it can run. */
export interface CompileDiagnostic {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  readonly message: string;
}

/** A compiled file. */
export interface CompileResult {
  readonly code: string;
  /** Source map; its only source is the absolute path of the original. */
  readonly map: string;
  /** Specifiers of the static imports that are left, in order of evaluation. */
  readonly imports: string[];
  /** Whether `code` awaits at its top level, so that it has to run as an async function. */
  readonly topLevelAwait: boolean;
  readonly diagnostics: CompileDiagnostic[];
  /** Other files that the code depends on: declarations whose constants have been inlined. */
  readonly inlinedFrom?: string[];
}

/** Compiles one file; errors in the source are reported in the result, never thrown. */
export function compileFile(input: CompileInput): CompileResult {
  const { file, format } = input;
  const text = input.text.replace(/^\uFEFF/, '');
  try {
    if (format === 'commonjs' && keepsNodeMeaning(file, input.options)) {
      const untouched = compileUntouched(input, text);
      if (untouched !== undefined) return untouched;
    }
    return emit(input, text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'The file nests expressions too deeply for the TypeScript compiler.';
    const diagnostics = [{ file: input.path, line: 1, column: 1, message }];
    return { code: '', map: '', imports: [], topLevelAwait: false, diagnostics };
  }
}

function emit(input: CompileInput, text: string): CompileResult {
  const { file, format, stub } = input;
  const isTypeScript = !/\.[cm]?jsx?$/.test(file);
  let parsed: ts.SourceFile | undefined;
  let analysis: Analysis | undefined;
  let imports: string[] = [];
  const inlinedFrom = new Set<string>();
  const before: ts.TransformerFactory<ts.SourceFile> = (context) => (source) => {
    const header = { path: input.path, stub, format: 'commonjs' as const };
    const done = instrument(ts, context, source, header);
    parsed = source;
    analysis = done.analysis;
    const edited = rewriteModuleSyntax(context, source, done.file, { file, format });
    return isTypeScript ? inlineConstEnums(context, source, edited, input, inlinedFrom) : edited;
  };
  const after: ts.TransformerFactory<ts.SourceFile> = (context) => (emitted) => {
    let done = hookModuleDisposal(context, emitted, parsed!, analysis!);
    if (format === 'module') done = rewriteImportEquals(context.factory, done, file);
    imports = emittedImports(done);
    return done;
  };
  const output = ts.transpileModule(text, {
    fileName: virtualName(file),
    reportDiagnostics: true,
    compilerOptions: compileOptions(input),
    transformers: { before: [before], after: [after] },
  });
  const code = cleanCode(output.outputText);
  const { topLevelAwait } = analysis!;
  const diagnostics = diagnosticsOf(input, text, output.diagnostics ?? [], analysis!);
  const harmless = !isTypeScript && diagnostics.length > 0 && isAccepted(code, topLevelAwait);
  return {
    code,
    map: cleanMap(output.sourceMapText!, file),
    imports,
    topLevelAwait,
    diagnostics: harmless ? [] : diagnostics,
    inlinedFrom: [...inlinedFrom],
  };
}

/** `.mts` and the like would settle the format of the output: the overlay knows it better. */
function virtualName(file: string): string {
  return file
    .split(path.sep)
    .join('/')
    .replace(/\.[cm]([jt]s)$/, '.$1');
}

function diagnosticsOf(
  { file, path: sitePath }: CompileInput,
  text: string,
  found: readonly ts.Diagnostic[],
  { problems }: Analysis,
): CompileDiagnostic[] {
  if (found.length + problems.length === 0) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const at = (position: number, message: string): CompileDiagnostic => {
    const { line, character } = source.getLineAndCharacterOfPosition(position);
    return { file: sitePath, line: line + 1, column: character + 1, message };
  };
  const syntax = found
    .filter(({ file: inFile, start }) => inFile !== undefined && start !== undefined)
    .map(({ start, messageText }) => at(start!, ts.flattenDiagnosticMessageText(messageText, ' ')));
  return [...syntax, ...problems.map(({ position, message }) => at(position, message))];
}
