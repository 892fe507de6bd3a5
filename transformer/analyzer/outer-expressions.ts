/** Sees through what leaves no trace in the value: parentheses, type assertions, `!`. */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/** The expression inside parentheses, `as`, `satisfies`, `<T>` and `!`. */
export function skipOuter(ts: TypeScript, node: ts.Expression): ts.Expression {
  while (isOuter(ts, node)) node = node.expression;
  return node;
}

function isOuter(
  ts: TypeScript,
  node: ts.Expression,
): node is ts.ParenthesizedExpression | ts.AssertionExpression | ts.NonNullExpression {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node)
  );
}
