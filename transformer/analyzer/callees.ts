/** What is called: what loads a module, gives a reaction, or is found without calling anything. */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

const REACTIONS = new Set(['then', 'catch', 'finally']);

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

/** `R.then(…)`, `R.catch(…)` or `R.finally(…)`, if the runtime can make that call. */
export function reactionOf(
  ts: TypeScript,
  node: ts.CallExpression,
): ts.PropertyAccessExpression | undefined {
  const callee = node.expression;
  if (node.flags & ts.NodeFlags.OptionalChain) return undefined;
  if (!ts.isPropertyAccessExpression(callee) || !ts.isIdentifier(callee.name)) return undefined;
  if (!REACTIONS.has(callee.name.text)) return undefined;
  return callee.expression.kind === ts.SyntaxKind.SuperKeyword ? undefined : callee;
}
