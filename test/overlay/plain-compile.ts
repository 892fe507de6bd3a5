/**
 * A stand-in for the transformer: CommonJS text without any instrumentation. It keeps tests of the
 * overlay and the loader apart from the transformer's own.
 */

import ts from 'typescript';
import type { CompileFile } from '../../cli/overlay/compile-text.js';

export const plainCompile: CompileFile = ({ file, text, options }) => {
  const { outputText, sourceMapText, diagnostics } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      ...options,
      module: ts.ModuleKind.CommonJS,
      verbatimModuleSyntax: false,
      sourceMap: true,
    },
  });
  const code = outputText.replace(/Promise\.resolve\(\)\.then\(\(\) => .*?require\((.*?)\)+/g, '$import($1)');
  return {
    code,
    map: sourceMapText ?? '{}',
    imports: [...code.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1]!),
    topLevelAwait: /^(?:const \w+ = )?await /m.test(code),
    diagnostics: (diagnostics ?? []).map((one) => {
      const { line, character } = one.file!.getLineAndCharacterOfPosition(one.start ?? 0);
      const message = ts.flattenDiagnosticMessageText(one.messageText, '\n');
      return { line: line + 1, column: character + 1, message };
    }),
  };
};
