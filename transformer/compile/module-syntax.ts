/**
 * Rewrites module syntax that CommonJS does not have: `import()` goes to the loader's `$import`,
 * and `import.meta` becomes what it would hold at the original place of the file.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

interface ModuleContext {
  readonly file: string;
  readonly format: 'commonjs' | 'module';
}

/**
 * The file with its module syntax rewritten.
 * @param source the parsed file
 * @param edited the same file with other edits applied
 */
export function rewriteModuleSyntax(
  context: ts.TransformationContext,
  source: ts.SourceFile,
  edited: ts.SourceFile,
  { file }: ModuleContext,
): ts.SourceFile {
  if (!/\bimport\s*[.(/]/.test(source.text)) return edited;
  const { factory } = context;
  const meta: Record<string, string> = {
    url: pathToFileURL(file).href,
    filename: file,
    dirname: path.dirname(file),
  };
  const visit = (node: ts.Node): ts.Node => {
    if (ts.isPropertyAccessExpression(node) && isImportMeta(node.expression)) {
      const value = meta[node.name.text];
      if (value !== undefined) return ts.setTextRange(factory.createStringLiteral(value), node);
    }
    const visited = ts.visitEachChild(node, visit, context);
    if (ts.isCallExpression(visited) && visited.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const loader = ts.setTextRange(factory.createIdentifier('$import'), visited.expression);
      return factory.updateCallExpression(visited, loader, undefined, [visited.arguments[0]]);
    }
    return visited;
  };
  return ts.visitEachChild(edited, visit, context);
}

function isImportMeta(node: ts.Expression): boolean {
  return ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword;
}
