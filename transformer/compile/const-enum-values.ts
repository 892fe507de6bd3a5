/** Evaluates the members of a `const enum` from its declaration alone. */

import ts from 'typescript';

export type EnumValue = string | number;

/** The values of a declaration's members; a member that cannot be evaluated is left out. */
export function enumValues(declaration: ts.EnumDeclaration): Map<string, EnumValue> {
  const values = new Map<string, EnumValue>();
  let next: number | undefined = 0;
  for (const { name, initializer } of declaration.members) {
    const value: EnumValue | undefined = initializer ? evaluate(initializer, values) : next;
    next = typeof value === 'number' ? value + 1 : undefined;
    if (value !== undefined && !ts.isComputedPropertyName(name)) values.set(name.text, value);
  }
  return values;
}

function evaluate(
  node: ts.Expression,
  values: ReadonlyMap<string, EnumValue>,
): EnumValue | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node)) return evaluate(node.expression, values);
  if (ts.isIdentifier(node)) return values.get(node.text);
  if (ts.isPropertyAccessExpression(node)) return values.get(node.name.text);
  if (ts.isPrefixUnaryExpression(node)) {
    const operand = evaluate(node.operand, values);
    return typeof operand === 'number' ? unary(node.operator, operand) : undefined;
  }
  if (!ts.isBinaryExpression(node)) return undefined;
  const left = evaluate(node.left, values);
  const right = evaluate(node.right, values);
  if (left === undefined || right === undefined) return undefined;
  return binary(node.operatorToken.kind, left, right);
}

function unary(operator: ts.PrefixUnaryOperator, operand: number): number | undefined {
  switch (operator) {
    case ts.SyntaxKind.PlusToken:
      return operand;
    case ts.SyntaxKind.MinusToken:
      return -operand;
    case ts.SyntaxKind.TildeToken:
      return ~operand;
    default:
      return undefined;
  }
}

function binary(operator: ts.SyntaxKind, left: EnumValue, right: EnumValue): EnumValue | undefined {
  if (typeof left === 'string' || typeof right === 'string') {
    return operator === ts.SyntaxKind.PlusToken ? `${left}${right}` : undefined;
  }
  switch (operator) {
    case ts.SyntaxKind.BarToken:
      return left | right;
    case ts.SyntaxKind.AmpersandToken:
      return left & right;
    case ts.SyntaxKind.CaretToken:
      return left ^ right;
    case ts.SyntaxKind.LessThanLessThanToken:
      return left << right;
    case ts.SyntaxKind.GreaterThanGreaterThanToken:
      return left >> right;
    case ts.SyntaxKind.GreaterThanGreaterThanGreaterThanToken:
      return left >>> right;
    case ts.SyntaxKind.PlusToken:
      return left + right;
    case ts.SyntaxKind.MinusToken:
      return left - right;
    case ts.SyntaxKind.AsteriskToken:
      return left * right;
    case ts.SyntaxKind.SlashToken:
      return left / right;
    case ts.SyntaxKind.PercentToken:
      return left % right;
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return left ** right;
    default:
      return undefined;
  }
}
