/** Questions about the syntax around a node that several rules ask. */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';

/** The function around `node`, or undefined at module level. */
export function enclosingFunction(
  ts: TypeScript,
  node: ts.Node,
): ts.FunctionLikeDeclaration | undefined {
  let one = node.parent;
  while (!ts.isSourceFile(one)) {
    if (ts.isClassStaticBlockDeclaration(one)) return undefined;
    if (ts.isFunctionLike(one)) return one as ts.FunctionLikeDeclaration;
    one = one.parent;
  }
  return undefined;
}

/** Whether code at `node` may await: it stands in an async function or in a module's top level. */
export function mayAwait(ts: TypeScript, node: ts.Node): boolean {
  const fn = enclosingFunction(ts, node);
  return fn !== undefined && isAsync(ts, fn);
}

export function isAsync(ts: TypeScript, node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.AsyncKeyword) === true
  );
}

/** The first node inside `node`, itself included, for which `test` holds; not in other functions. */
export function findInside(
  ts: TypeScript,
  node: ts.Node,
  test: (node: ts.Node) => boolean,
): ts.Node | undefined {
  const waiting: ts.Node[] = [node];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (test(one)) return one;
    if (one !== node && ts.isFunctionLike(one)) continue;
    const children: ts.Node[] = [];
    ts.forEachChild(one, (child) => void children.push(child));
    for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i]);
  }
  return undefined;
}

/** Whether `node` gives way to other tasks: it awaits or yields, outside of inner functions. */
export function givesWay(ts: TypeScript, node: ts.Node): boolean {
  return (
    findInside(
      ts,
      node,
      (one) =>
        ts.isAwaitExpression(one) ||
        ts.isYieldExpression(one) ||
        (ts.isForOfStatement(one) && one.awaitModifier !== undefined),
    ) !== undefined
  );
}

/** The node that has the value of `node`: past parentheses, assertions and awaits around it. */
export function outermost(ts: TypeScript, node: ts.Expression, awaits = true): ts.Expression {
  let one = node;
  for (;;) {
    const { parent } = one;
    const sees =
      ts.isParenthesizedExpression(parent) ||
      ts.isAsExpression(parent) ||
      ts.isSatisfiesExpression(parent) ||
      ts.isTypeAssertionExpression(parent) ||
      ts.isNonNullExpression(parent) ||
      (awaits && ts.isAwaitExpression(parent));
    if (!sees) return one;
    one = parent;
  }
}
