/** Syntax that leaves nothing behind at run time. */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/** Whether a node is a type, or declares one. */
export function isTypeOnly(ts: TypeScript, node: ts.Node): boolean {
  if (node.kind === ts.SyntaxKind.ExpressionWithTypeArguments) return false;
  return ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
}
