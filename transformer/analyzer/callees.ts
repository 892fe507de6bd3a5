/** What is called: what loads a module, and what is found without calling anything. */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/** `import(…)`, `super(…)`, and `require` of a literal, which tools want to read. */
export function isLoad(ts: TypeScript, node: ts.CallExpression): boolean {
  const { kind } = node.expression;
  if (kind === ts.SyntaxKind.ImportKeyword || kind === ts.SyntaxKind.SuperKeyword) return true;
  if (!ts.isIdentifier(node.expression) || node.expression.text !== 'require') return false;
  return node.arguments.length === 1 && ts.isStringLiteralLike(node.arguments[0]);
}

/** A name, or a path of properties such as `this.x.y`. */
export function isPlainPath(ts: TypeScript, node: ts.Expression): boolean {
  while (ts.isPropertyAccessExpression(node)) node = node.expression;
  const { kind } = node;
  return (
    ts.isIdentifier(node) ||
    kind === ts.SyntaxKind.ThisKeyword ||
    kind === ts.SyntaxKind.SuperKeyword
  );
}
