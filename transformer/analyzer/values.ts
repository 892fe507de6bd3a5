/**
 * Tells from the syntax alone that an expression can never be a promise or another thenable, so
 * that returning it is no yield point.
 */

import type ts from 'typescript';
import { skipOuter } from './outer-expressions.js';
import type { TypeScript } from './sites.js';

/** Whether the value of `node` is certainly not thenable. */
export function isNeverThenable(ts: TypeScript, node: ts.Expression): boolean {
  const { SyntaxKind } = ts;
  const expression = skipOuter(ts, node);
  switch (expression.kind) {
    case SyntaxKind.NumericLiteral:
    case SyntaxKind.BigIntLiteral:
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
    case SyntaxKind.TemplateExpression:
    case SyntaxKind.RegularExpressionLiteral:
    case SyntaxKind.TrueKeyword:
    case SyntaxKind.FalseKeyword:
    case SyntaxKind.NullKeyword:
    case SyntaxKind.ArrayLiteralExpression:
    case SyntaxKind.ArrowFunction:
    case SyntaxKind.FunctionExpression:
    case SyntaxKind.TypeOfExpression:
    case SyntaxKind.VoidExpression:
    case SyntaxKind.DeleteExpression:
    case SyntaxKind.PrefixUnaryExpression:
    case SyntaxKind.PostfixUnaryExpression:
    case SyntaxKind.AwaitExpression:
      return true;
    case SyntaxKind.Identifier:
      return (expression as ts.Identifier).text === 'undefined';
    case SyntaxKind.ObjectLiteralExpression:
      return (expression as ts.ObjectLiteralExpression).properties.every(
        (property) => hasPlainName(ts, property) && property.name.text !== 'then',
      );
    case SyntaxKind.ConditionalExpression: {
      const { whenTrue, whenFalse } = expression as ts.ConditionalExpression;
      return isNeverThenable(ts, whenTrue) && isNeverThenable(ts, whenFalse);
    }
    case SyntaxKind.BinaryExpression:
      return isNeverThenableOperation(ts, expression as ts.BinaryExpression);
    default:
      return false;
  }
}

function hasPlainName(
  ts: TypeScript,
  property: ts.ObjectLiteralElementLike,
): property is ts.ObjectLiteralElementLike & { name: { text: string } } {
  const { name } = property;
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteralLike(name));
}

function isNeverThenableOperation(ts: TypeScript, node: ts.BinaryExpression): boolean {
  const { SyntaxKind } = ts;
  switch (node.operatorToken.kind) {
    case SyntaxKind.CommaToken:
    case SyntaxKind.EqualsToken:
      return isNeverThenable(ts, node.right);
    case SyntaxKind.AmpersandAmpersandToken:
    case SyntaxKind.BarBarToken:
    case SyntaxKind.QuestionQuestionToken:
      return isNeverThenable(ts, node.left) && isNeverThenable(ts, node.right);
    case SyntaxKind.AmpersandAmpersandEqualsToken:
    case SyntaxKind.BarBarEqualsToken:
    case SyntaxKind.QuestionQuestionEqualsToken:
      return false;
    default:
      // Arithmetic, comparison, `in`, `instanceof` and compound assignment give primitives.
      return true;
  }
}
