/** Finds out whether a module awaits at its top level. */

import type ts from 'typescript';
import type { TypeScript } from './sites.js';
import { isAwaitUsing } from './using.js';

/** Whether `file` is a module with an await outside of every function. */
export function hasTopLevelAwait(ts: TypeScript, file: ts.SourceFile): boolean {
  if (!ts.isExternalModule(file) || !file.text.includes('await')) return false;
  const visit = (node: ts.Node): boolean | undefined => {
    if (ts.isAwaitExpression(node) || isAwaitUsing(ts, node)) return true;
    if (ts.isForOfStatement(node) && node.awaitModifier) return true;
    if (ts.isClassLike(node)) return classAwaits(node);
    if (ts.isFunctionLike(node)) return functionAwaits(node as ts.FunctionLikeDeclaration);
    if (ts.isModuleDeclaration(node) || ts.isTypeNode(node)) return false;
    return ts.forEachChild(node, visit);
  };
  // Decorators, computed names and `extends` are evaluated by the code around a class.
  const classAwaits = (node: ts.ClassLikeDeclaration): boolean =>
    decorates(node) ||
    !!node.heritageClauses?.some((clause) => clause.types.some((t) => visit(t.expression))) ||
    node.members.some(
      (member) =>
        decorates(member) ||
        nameAwaits(member.name) ||
        (ts.isFunctionLike(member) && functionAwaits(member as ts.FunctionLikeDeclaration)),
    );
  const functionAwaits = (node: ts.FunctionLikeDeclaration): boolean =>
    nameAwaits(node.name) || node.parameters.some(decorates);
  const nameAwaits = (name: ts.DeclarationName | undefined): boolean =>
    name?.kind === ts.SyntaxKind.ComputedPropertyName && !!visit(name);
  // Most have no modifiers at all, and this runs for each member of each class.
  const decorates = (node: ts.Node & { readonly modifiers?: unknown }): boolean =>
    node.modifiers !== undefined &&
    ts.canHaveDecorators(node) &&
    !!ts.getDecorators(node)?.some(visit);
  return file.statements.some(visit);
}
