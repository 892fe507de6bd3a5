/** The compiler options under which a file means in the overlay what it means in its project. */

import ts from 'typescript';
import type { CompileInput } from '../compile.js';

const { ES2021, ES2022 } = ts.ScriptTarget;

/** Options for one file; see each line for why it is not the project's own. */
export function compileOptions(input: CompileInput): ts.CompilerOptions {
  const { file, options, format } = input;
  const isModule = format === 'module';
  const common: ts.CompilerOptions = {
    ...options,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    // Native async functions keep their order of microtasks; decorators and `using` are lowered.
    target: ES2022,
    ignoreDeprecations: '6.0',
    isolatedModules: true,
    sourceMap: true,
    inlineSourceMap: false,
    inlineSources: false,
    sourceRoot: undefined,
    mapRoot: undefined,
    importHelpers: false,
    noEmitHelpers: false,
    newLine: ts.NewLineKind.LineFeed,
    emitBOM: false,
    outFile: undefined,
    plugins: undefined,
    // Nothing is resolved, so every import attribute and extension is as good as another.
    rewriteRelativeImportExtensions: false,
  };
  const { Force, Legacy } = ts.ModuleDetectionKind;
  if (keepsNodeMeaning(file, options)) {
    const { jsx, jsxFactory, jsxFragmentFactory, jsxImportSource } = options;
    return {
      ...common,
      allowJs: true,
      jsx: runnableJsx(jsx),
      jsxFactory,
      jsxFragmentFactory,
      jsxImportSource,
      alwaysStrict: false,
      strict: false,
      esModuleInterop: true,
      verbatimModuleSyntax: false,
      experimentalDecorators: false,
      useDefineForClassFields: true,
      moduleDetection: isModule ? Force : Legacy,
    };
  }
  const definesFields = options.useDefineForClassFields ?? hasNativeFields(options.target);
  return {
    ...common,
    // Native fields start before parameter properties are set, lowered ones after that.
    target: definesFields && !hasNativeFields(options.target) ? ES2021 : ES2022,
    jsx: runnableJsx(options.jsx),
    useDefineForClassFields: definesFields,
    esModuleInterop: isModule || options.esModuleInterop !== false,
    moduleDetection: isModule || /\.[cm]ts$/.test(file) ? Force : options.moduleDetection,
  };
}

/** Packages, and JavaScript that the project's compiler does not touch. */
export function keepsNodeMeaning(file: string, options: ts.CompilerOptions): boolean {
  if (/[\\/]node_modules[\\/]/.test(file)) return true;
  return /\.[cm]?jsx?$/.test(file) && !options.allowJs;
}

function hasNativeFields(target: ts.ScriptTarget | undefined): boolean {
  return target === undefined || target >= ES2022;
}

/** Node cannot run JSX that is left to another tool. */
function runnableJsx(jsx: ts.JsxEmit | undefined): ts.JsxEmit | undefined {
  return jsx === ts.JsxEmit.Preserve || jsx === ts.JsxEmit.ReactNative ? ts.JsxEmit.ReactJSX : jsx;
}
