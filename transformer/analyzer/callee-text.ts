/**
 * The text by which V8 names a callee in "x is not a function".
 *
 * A reaction is called by the runtime, not by the source, so the runtime has to write that message
 * itself. V8 prints calls as `f(...)`, and what it cannot name as `(intermediate value)`.
 */

import type ts from 'typescript';
import { skipOuter } from './outer-expressions.js';
import type { TypeScript } from './sites.js';

/** How V8 would print `node`. */
export function calleeText(ts: TypeScript, node: ts.Expression): string {
  const expression = skipOuter(ts, node);
  if (ts.isIdentifier(expression)) return expression.text;
  if (expression.kind === ts.SyntaxKind.ThisKeyword) return 'this';
  if (ts.isStringLiteralLike(expression)) return `"${expression.text}"`;
  if (ts.isNumericLiteral(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression)) {
    return `${calleeText(ts, expression.expression)}.${expression.name.text}`;
  }
  if (ts.isElementAccessExpression(expression)) {
    const key = expression.argumentExpression;
    const object = calleeText(ts, expression.expression);
    return ts.isStringLiteralLike(key)
      ? `${object}.${key.text}`
      : `${object}[${calleeText(ts, key)}]`;
  }
  if (ts.isCallExpression(expression)) return `${calleeText(ts, expression.expression)}(...)`;
  return '(intermediate value)';
}
