/**
 * State that tasks share, as far as the syntax shows it: members of `this`, and variables that are
 * declared outside of the function.
 */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import type { RuleContext } from './rule.js';
import { enclosingFunction, findInside } from './syntax.js';

/** The text by which a piece of shared state is known, or undefined when it is not one. */
export function sharedState(node: ts.Expression, context: RuleContext): string | undefined {
  const { ts, checker, file } = context;
  const expression = skipOuter(ts, node);
  if (ts.isPropertyAccessExpression(expression)) {
    const inner = expression.expression;
    const isThis = inner.kind === ts.SyntaxKind.ThisKeyword;
    return isThis || sharedState(inner, context) !== undefined
      ? expression.getText(file)
      : undefined;
  }
  if (!ts.isIdentifier(expression)) return undefined;
  const declaration = checker.getSymbolAtLocation(expression)?.valueDeclaration;
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
  const here = enclosingFunction(ts, expression);
  if (here === undefined || enclosingFunction(ts, declaration) === here) return undefined;
  return expression.text;
}

/** The shared state that a statement assigns to, if that is all it does. */
export function assignedState(
  statement: ts.Statement,
  context: RuleContext,
): { readonly state: string; readonly value: ts.Expression } | undefined {
  const { ts } = context;
  if (!ts.isExpressionStatement(statement)) return undefined;
  const expression = skipOuter(ts, statement.expression);
  const assigns =
    ts.isBinaryExpression(expression) &&
    expression.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  if (!assigns) return undefined;
  const state = sharedState(expression.left, context);
  return state === undefined ? undefined : { state, value: expression.right };
}

/** Whether `state` is read inside `node`. */
export function reads(node: ts.Node, state: string, { ts, file }: RuleContext): boolean {
  const last = state.slice(state.lastIndexOf('.') + 1);
  const test = (one: ts.Node): boolean => {
    if (!ts.isIdentifier(one) && !ts.isPropertyAccessExpression(one)) return false;
    const name = ts.isIdentifier(one) ? one.text : one.name.text;
    return name === last && one.getText(file) === state;
  };
  return findInside(ts, node, test) !== undefined;
}
