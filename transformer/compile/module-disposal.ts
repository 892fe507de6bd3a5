/**
 * The yield point of `await using` at the top level of a module.
 *
 * Only TypeScript can lower it there, since exports and functions have to stay outside of its
 * `try`. So this adds the hooks to what TypeScript has made:
 *
 *     try { … } catch (e_1) { … } finally { const result_1 = …; if (result_1) await result_1; }
 */

import ts from 'typescript';
import type { Analysis } from '../analyzer/index.js';
import { Hooks } from '../apply/hooks.js';

/** The emitted file, with the hooks for its own disposal if it has one. */
export function hookModuleDisposal(
  context: ts.TransformationContext,
  emitted: ts.SourceFile,
  source: ts.Node,
  { edits, names }: Analysis,
): ts.SourceFile {
  const edit = edits.get(source);
  if (edit?.kind !== 'module' || edit.dispose === undefined) return emitted;
  const { factory } = context;
  const hooks = new Hooks(ts, factory, names);
  const site = edit.dispose;
  const resuming = (block: ts.Block): ts.Block =>
    factory.updateBlock(block, [hooks.resumeStatement(), ...block.statements]);
  const hookAwait = (node: ts.Node): ts.Node => {
    if (!ts.isAwaitExpression(node)) return ts.visitEachChild(node, hookAwait, context);
    const operand = hooks.operand('suspend', node.expression, site, false);
    return hooks.frame('resume', [factory.updateAwaitExpression(node, operand)]);
  };
  const statements = emitted.statements.flatMap((statement) => {
    if (!ts.isTryStatement(statement) || statement.pos >= 0) return statement;
    const { tryBlock, catchClause, finallyBlock } = statement;
    if (catchClause === undefined || finallyBlock === undefined) return statement;
    const { variableDeclaration, block } = catchClause;
    // The last statement leaves the module's frame, which the disposal still needs.
    const exit = tryBlock.statements.at(-1)!;
    const updated = factory.updateTryStatement(
      statement,
      factory.updateBlock(tryBlock, tryBlock.statements.slice(0, -1)),
      factory.updateCatchClause(catchClause, variableDeclaration, resuming(block)),
      resuming(ts.visitEachChild(finallyBlock, hookAwait, context)),
    );
    return [updated, exit];
  });
  return factory.updateSourceFile(emitted, statements);
}
