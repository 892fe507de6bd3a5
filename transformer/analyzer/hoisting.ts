/**
 * The body of an async function moves into a `try` block. A block cannot hold two functions of one
 * name, nor a function beside a `var` of its name, though a function body can. This finds the
 * declarations concerned, which then become plain variables.
 */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';

/** Declarations of `body` that cannot stand in a block, in order. */
export function blockConflicts(ts: TypeScript, body: ts.Block): readonly ts.FunctionDeclaration[] {
  const declarations = body.statements.filter(
    (s): s is ts.FunctionDeclaration => ts.isFunctionDeclaration(s) && s.body !== undefined,
  );
  if (declarations.length === 0) return declarations;
  const nested = namesFromNestedBlocks(ts, body);
  const counts = new Map<string, number>();
  for (const { name } of declarations) counts.set(name!.text, (counts.get(name!.text) ?? 0) + 1);
  return declarations.filter(({ name }) => counts.get(name!.text)! > 1 || nested.has(name!.text));
}

/** Names that `var`, or a function in a nested block of sloppy code, gives to the whole body. */
function namesFromNestedBlocks(ts: TypeScript, body: ts.Block): Set<string> {
  const names = new Set<string>();
  const add = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) names.add(name.text);
    else name.elements.forEach((e) => ts.isBindingElement(e) && add(e.name));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node)) {
      if (node.name && !body.statements.includes(node)) names.add(node.name.text);
    } else if (ts.isVariableDeclarationList(node)) {
      if (!(node.flags & ts.NodeFlags.BlockScoped)) node.declarations.forEach((d) => add(d.name));
    } else if (!ts.isExpression(node) && !ts.isClassLike(node)) {
      ts.forEachChild(node, visit);
    }
  };
  ts.forEachChild(body, visit);
  return names;
}
