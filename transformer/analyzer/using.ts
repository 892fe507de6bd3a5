/** Recognises `using` and `await using` declarations. */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/** Whether `node` is a `using` or `await using` declaration, or such a list of a loop. */
export function isUsing(ts: TypeScript, node: ts.Node): boolean {
  const kind = scoping(ts, node);
  return kind === ts.NodeFlags.Using || kind === ts.NodeFlags.AwaitUsing;
}

/** The same for `await using` alone. */
export function isAwaitUsing(ts: TypeScript, node: ts.Node): boolean {
  return scoping(ts, node) === ts.NodeFlags.AwaitUsing;
}

function scoping(ts: TypeScript, node: ts.Node): ts.NodeFlags | undefined {
  const list = ts.isVariableStatement(node) ? node.declarationList : node;
  return ts.isVariableDeclarationList(list) ? list.flags & ts.NodeFlags.BlockScoped : undefined;
}
