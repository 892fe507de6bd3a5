/**
 * Finds awaits that TypeScript's lowering of standard decorators would put into a function of its
 * own, where they are a syntax error.
 */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/** Whether a class has decorators, and awaits in one of them, in a computed name or in its base. */
export function awaitsAroundDecorators(ts: TypeScript, node: ts.ClassLikeDeclaration): boolean {
  const decorators = [
    ...(ts.getDecorators(node) ?? []),
    ...node.members.flatMap((m) => (ts.canHaveDecorators(m) ? (ts.getDecorators(m) ?? []) : [])),
  ];
  if (decorators.length === 0) return false;
  const names = node.members.flatMap(({ name }) =>
    name && ts.isComputedPropertyName(name) ? [name] : [],
  );
  return [...decorators, ...names, ...(node.heritageClauses ?? [])].some((n) => awaits(ts, n));
}

function awaits(ts: TypeScript, node: ts.Node): boolean {
  if (ts.isAwaitExpression(node) || ts.isYieldExpression(node)) return true;
  if (ts.isFunctionLike(node)) return false;
  return ts.forEachChild(node, (child) => awaits(ts, child)) ?? false;
}
