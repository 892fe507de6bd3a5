/**
 * Compiles one file for the overlay: settles its format and options, calls the transformer, and
 * turns its diagnostics into an error.
 *
 * This module loads TypeScript.
 */

import path from 'node:path';
import ts from 'typescript';
import type { ModuleFormat } from '../../runtime/loader/types.js';
import { UserError } from '../errors.js';
import { isTypeScriptFile, type FormatRule } from './format.js';
import type { Project } from './project.js';

/** The transformer's compiler of one file (`transformer/compile.ts`). */
export type CompileFile = (input: {
  readonly file: string;
  readonly text: string;
  readonly path: string;
  readonly options: ts.CompilerOptions;
  readonly format: ModuleFormat;
  readonly stub: boolean;
}) => {
  readonly code: string;
  readonly map: string;
  readonly imports: readonly string[];
  readonly topLevelAwait: boolean;
  readonly diagnostics: readonly {
    readonly line: number;
    readonly column: number;
    readonly message: string;
  }[];
};

/** What the overlay keeps of a compiled file. */
export interface CompiledText {
  readonly code: string;
  readonly map: string;
  readonly format: ModuleFormat;
  readonly imports: readonly string[];
  readonly topLevelAwait: boolean;
  readonly importByRequire: boolean;
}

/** A file that cannot be compiled; every message names its position. */
export class CompileError extends UserError {
  constructor(
    readonly file: string,
    messages: readonly string[],
  ) {
    super(messages.join('\n'));
  }
}

/** @throws CompileError on a syntax error, or a construct that the overlay cannot carry */
export function compileText(
  input: {
    file: string;
    text: string;
    sitePath: string;
    stub: boolean;
    rule: FormatRule;
    codeFile: string;
    project: Project;
  },
  compileFile: CompileFile = transformerCompile(),
): CompiledText {
  const { file, text, sitePath, stub, rule } = input;
  const format = rule === 'detect' ? detectFormat(file, text) : rule;
  const options = optionsFor(file, format, input.project);
  const compiled = compileFile({ file, text, path: sitePath, options, format, stub });
  const errors = compiled.diagnostics.map(
    (one) => `${sitePath}:${one.line}:${one.column}: ${one.message}`,
  );
  if (errors.length > 0) throw new CompileError(file, errors);
  const { imports, topLevelAwait } = compiled;
  return {
    code: compiled.code.replace(/\n\/\/# sourceMappingURL=[^\n]*\s*$/, '\n'),
    map: mapFor(compiled.map, input.codeFile, file),
    format,
    imports,
    topLevelAwait,
    importByRequire: format === 'commonjs' && lowersImport(options),
  };
}

/** Whether tsc would have made `require` of an `import()`. */
function lowersImport({ module }: ts.CompilerOptions): boolean {
  return module !== undefined && module <= ts.ModuleKind.System;
}

function transformerCompile(): CompileFile {
  return (require('../../transformer/compile.js') as { compileFile: CompileFile }).compileFile;
}

/** The tsconfig's options for TypeScript; packages and JavaScript keep what Node does with them. */
function optionsFor(file: string, format: ModuleFormat, project: Project): ts.CompilerOptions {
  const own = project.tsconfigOf(file)?.options;
  if (own !== undefined && isTypeScriptFile(file)) return own;
  const plain: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node20,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    esModuleInterop: true,
    useDefineForClassFields: true,
  };
  // A JavaScript file is compiled by tsc only under `allowJs`.
  const compiled = isTypeScriptFile(file) || own?.allowJs === true;
  return compiled ? { ...plain, ...own } : { ...plain, allowJs: true, jsx: own?.jsx };
}

/** What Node's own detection finds: an ES module has syntax that only such a module may have. */
function detectFormat(file: string, text: string): ModuleFormat {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  return ts.isExternalModule(source) ? 'module' : 'commonjs';
}

/** The map with its one source as a path from the map to the original file. */
function mapFor(map: string, codeFile: string, file: string): string {
  const parsed = JSON.parse(map) as Record<string, unknown>;
  const source = path.relative(path.dirname(codeFile), file).split(path.sep).join('/');
  return JSON.stringify({
    ...parsed,
    file: path.basename(codeFile),
    sourceRoot: '',
    sources: [source],
  });
}
