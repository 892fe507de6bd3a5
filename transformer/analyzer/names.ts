/**
 * Names for functions, as a reader would call them: `Class.method`, the variable or property that
 * an arrow function is assigned to, or `<anonymous>`.
 */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

export const ANONYMOUS = '<anonymous>';

/**
 * The name of a function.
 * @param ancestors the nodes around it, outermost first, without the function itself
 */
export function functionName(
  ts: TypeScript,
  node: ts.FunctionLikeDeclaration,
  ancestors: readonly ts.Node[],
): string {
  if (ts.isConstructorDeclaration(node)) return inClass(ts, 'constructor', ancestors);
  if (node.name) return inClass(ts, nameText(ts, node.name), ancestors);
  if (ts.isFunctionDeclaration(node)) return 'default';
  return nameOfHolder(ts, ancestors) ?? ANONYMOUS;
}

/** The name of a class: its own, or that of the variable that holds it. */
export function className(
  ts: TypeScript,
  node: ts.ClassLikeDeclaration,
  ancestors: readonly ts.Node[],
): string {
  if (node.name) return node.name.text;
  return nameOfHolder(ts, ancestors) ?? ANONYMOUS;
}

function inClass(ts: TypeScript, name: string, ancestors: readonly ts.Node[]): string {
  const parent = ancestors[ancestors.length - 1];
  if (parent === undefined || !ts.isClassLike(parent)) return name;
  return `${className(ts, parent, ancestors.slice(0, -1))}.${name}`;
}

/** The name of the variable, property or assignment whose value is what stands inside. */
function nameOfHolder(ts: TypeScript, ancestors: readonly ts.Node[]): string | undefined {
  let depth = ancestors.length - 1;
  while (depth >= 0 && isOuterExpression(ts, ancestors[depth])) depth--;
  const holder = ancestors[depth];
  if (holder === undefined) return undefined;
  if (ts.isPropertyDeclaration(holder)) {
    return inClass(ts, nameText(ts, holder.name), ancestors.slice(0, depth));
  }
  if (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder)) {
    return nameText(ts, holder.name);
  }
  if (ts.isParameter(holder) || ts.isBindingElement(holder)) return nameText(ts, holder.name);
  if (ts.isExportAssignment(holder)) return 'default';
  if (ts.isBinaryExpression(holder)) {
    const { left } = holder;
    if (ts.isIdentifier(left)) return left.text;
    if (ts.isPropertyAccessExpression(left)) return left.name.text;
  }
  return undefined;
}

function isOuterExpression(ts: TypeScript, node: ts.Node): boolean {
  return (
    ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)
  );
}

function nameText(ts: TypeScript, name: ts.PropertyName | ts.BindingName): string {
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) return name.text;
  if (ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  if (ts.isComputedPropertyName(name)) return `[${computedText(ts, name.expression)}]`;
  return ANONYMOUS;
}

function computedText(ts: TypeScript, node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) {
    return `${computedText(ts, node.expression)}.${node.name.text}`;
  }
  return '…';
}
