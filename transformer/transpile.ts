/**
 * One file compiled to instrumented code of the same module format, for tools that compile file by
 * file and go on with the result: vite, jest.
 */

import path from 'node:path';
import ts from 'typescript';
import { instrument } from './instrument.js';
import { stubMatcher } from './stubs.js';

export interface TranspileInput {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
  /** What the paths of sites are relative to. */
  readonly root: string;
  readonly format: 'commonjs' | 'module';
  /** Globs of further files of stand-ins; test files always count. */
  readonly stubs?: readonly string[];
  /** Runs after the yield points are in. */
  readonly then?: ts.TransformerFactory<ts.SourceFile>;
}

/** The code and its source map, whose only source is the file. */
export function transpile(input: TranspileInput): { code: string; map: string } {
  const { file, text, root, format, stubs, then } = input;
  const sitePath = path.relative(root, file).split(path.sep).join('/');
  const header = { path: sitePath, stub: stubMatcher(stubs)(sitePath), format };
  const before: ts.TransformerFactory<ts.SourceFile> = (context) => (source) =>
    instrument(ts, context, source, header).file;
  const output = ts.transpileModule(text, {
    fileName: file
      .split(path.sep)
      .join('/')
      .replace(/\.[cm]([jt]s)$/, '.$1'),
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: format === 'commonjs' ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext,
      jsx: format === 'commonjs' ? ts.JsxEmit.ReactJSX : ts.JsxEmit.Preserve,
      esModuleInterop: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      useDefineForClassFields: true,
      allowJs: true,
      sourceMap: true,
      isolatedModules: true,
    },
    transformers: { before: then === undefined ? [before] : [before, then] },
  });
  const map = JSON.parse(output.sourceMapText!) as { sources: string[] };
  map.sources = [file];
  const code = output.outputText.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  return { code, map: JSON.stringify(map) };
}
