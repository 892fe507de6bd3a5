/**
 * Where the engine's errors print the source of an expression: "x is not a function", "Cannot
 * destructure property 'a' of 'x'". The hook around an await must not show up there.
 */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/**
 * Whether an error about the value of `node` would print it.
 * @param ancestors the nodes around it, outermost first, without the node itself
 */
export function isPrintedInErrors(
  ts: TypeScript,
  node: ts.Expression,
  ancestors: readonly ts.Node[],
): boolean {
  let depth = ancestors.length - 1;
  let child: ts.Node = node;
  while (ts.isParenthesizedExpression(ancestors[depth])) child = ancestors[depth--];
  const parent = ancestors[depth];
  if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) {
    return parent.expression === child;
  }
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression === child;
  if (ts.isTaggedTemplateExpression(parent)) return parent.tag === child;
  if (ts.isVariableDeclaration(parent) || ts.isBindingElement(parent)) {
    return parent.initializer === child && !ts.isIdentifier(parent.name);
  }
  if (ts.isBinaryExpression(parent)) {
    const { left, operatorToken, right } = parent;
    const assigns = operatorToken.kind === ts.SyntaxKind.EqualsToken && right === child;
    return assigns && (ts.isObjectLiteralExpression(left) || ts.isArrayLiteralExpression(left));
  }
  return ts.isSpreadElement(parent) || ts.isNonNullExpression(parent) || ts.isAsExpression(parent);
}
