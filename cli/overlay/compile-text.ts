/**
 * Compiles one file for the overlay: settles its format and options, calls the transformer, and
 * turns its diagnostics into an error.
 *
 * This module loads TypeScript.
 */

import path from 'node:path';
import ts from 'typescript';
import { isOwnRequest } from '../../runtime/loader/own-copy.js';
import { topLevelAwaitPosition } from '../../runtime/loader/top-level-await.js';
import type { DynamicImport, ModuleFormat } from '../../runtime/loader/types.js';
import type { compileFile as CompileFileFunction } from '../../transformer/compile.js';
import { UserError } from '../errors.js';
import { contentHash } from './disk.js';
import { isTypeScriptFile, type FormatRule } from './format.js';
import type { Project } from './project.js';

export type CompileFile = typeof CompileFileFunction;

/** What the overlay keeps of a compiled file. */
export interface CompiledText {
  readonly code: string;
  readonly map: string;
  readonly format: ModuleFormat;
  readonly imports: readonly string[];
  readonly topLevelAwait: boolean;
  readonly dynamicImport: DynamicImport;
  readonly requests: readonly string[];
  /** Other files that the code depends on, with the hashes of their contents. */
  readonly inlinedFrom: Readonly<Record<string, string>>;
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
  const options = input.project.tsconfigOf(file)?.options ?? {};
  const compiled = compileFile({ file, text, path: sitePath, options, format, stub });
  const errors = compiled.diagnostics.map(
    (one) => `${sitePath}:${one.line}:${one.column}: ${one.message}`,
  );
  if (compiled.topLevelAwait && format === 'commonjs') {
    const position = topLevelAwaitPosition(compiled.code);
    errors.push(
      `${sitePath}${position}: this file is a CommonJS module, which cannot await at its top level; ` +
        'put the await into an async function, or make the file an ES module',
    );
  }
  if (errors.length > 0) throw new CompileError(file, errors);
  const { imports, topLevelAwait } = compiled;
  return {
    code: compiled.code,
    map: mapFor(compiled.map, input.codeFile, file),
    format,
    imports,
    topLevelAwait,
    dynamicImport: format === 'commonjs' ? dynamicImportOf(file, options) : 'import',
    requests: literalRequests(compiled.code),
    inlinedFrom: Object.fromEntries(
      (compiled.inlinedFrom ?? []).map((one) => [one, contentHash(one)]),
    ),
  };
}

/** Every specifier that stands in the code as a literal: what a walk over the project follows. */
function literalRequests(code: string): string[] {
  const calls = code.matchAll(/(?:\brequire|\$import)\((?:"([^"\\\n]+)"|'([^'\\\n]+)')/g);
  const specifiers = new Set(Array.from(calls, (match) => match[1] ?? match[2]!));
  return [...specifiers].filter((specifier) => !isOwnRequest(specifier));
}

/** Under `module: commonjs` and its like tsc makes a `require` of an `import()`. */
function dynamicImportOf(
  file: string,
  { module, allowJs, esModuleInterop }: ts.CompilerOptions,
): DynamicImport {
  const compiled = isTypeScriptFile(file) || allowJs === true;
  if (!compiled || module === undefined || module > ts.ModuleKind.System) return 'import';
  return esModuleInterop === true ? 'require with interop' : 'require';
}

function transformerCompile(): CompileFile {
  return (require('../../transformer/compile.js') as typeof import('../../transformer/compile.js'))
    .compileFile;
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
